/** What is wrong with how an agent is made: in plain JavaScript its options may be anything, and have any name. */
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import type * as Toolset from "@wield/core/Toolset"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Config } from "../Agent.js"
import { InvalidAgent } from "../AgentError.js"
import type { Changes } from "./input.js"
import type { Plan } from "./plan.js"

export const invalidConfig = (config: Unchecked, limits: Limits): InvalidAgent | undefined =>
  unknownOption(config, [], optionNames) ??
  unknownOption(config.mistakes, ["mistakes"], ["perTool", "total"]) ??
  unknownOption(config.outputTool, ["outputTool"], ["name", "description"]) ??
  unknownOption(config.about, ["about"], ["id", "description", "version"]) ??
  unknownOption(config.signing, ["signing"], ["secrets", "timeToLive"]) ??
  unknownOption(config.options, ["options"], ["choice", "isParallel", "isStrict", "isCached"]) ??
  invalidOptions(config) ??
  invalidSearch(config.search) ??
  choice("startEarly", config.startEarly, ["always", "safe", "never"]) ??
  choice("whenInterrupted", config.whenInterrupted, ["forget", "keep"]) ??
  invalidLimits(limits)

type Limits = Pick<Plan, "mistakes" | "retries" | "stop">

/** What is wrong with the limits of an agent. */
const invalidLimits = ({ mistakes, retries, stop }: Limits) =>
  count(["mistakes", "perTool"], mistakes.perTool) ??
  count(["mistakes", "total"], mistakes.total) ??
  count(["retries"], retries) ??
  (stop.invalid === undefined
    ? undefined
    : new InvalidAgent({ path: ["stop"], expected: stop.invalid, received: stop.name }))

interface Unchecked {
  readonly about?: unknown
  readonly instructions?: unknown
  readonly mistakes?: unknown
  readonly name?: unknown
  readonly options?: unknown
  readonly outputTool?: { readonly name?: unknown; readonly description?: unknown } | undefined
  readonly search?: unknown
  readonly settings?: unknown
  readonly signing?: { readonly timeToLive?: unknown } | undefined
  readonly startEarly?: string | undefined
  readonly stop?: unknown
  readonly whenInterrupted?: string | undefined
}

/** What could not be kept to, or would not be known where it is used. */
const invalidOptions = ({
  instructions,
  name,
  outputTool,
  settings,
  signing,
  stop
}: Unchecked): InvalidAgent | undefined => {
  const wrong = (path: ReadonlyArray<string>, expected: string, received: unknown) =>
    new InvalidAgent({ path, expected, received: Issue.show(received) })
  const texts = { name, "outputTool.name": outputTool?.name, "outputTool.description": outputTool?.description }
  const noText = Object.entries(texts).find(
    ([, text]) => text !== undefined && (typeof text !== "string" || text === "")
  )
  if (noText !== undefined) return wrong(noText[0].split("."), "a text", noText[1])
  if (instructions !== undefined && typeof instructions !== "string" && !Effect.isEffect(instructions)) {
    return wrong(["instructions"], "a text, or an Effect of one", instructions)
  }
  if (stop !== undefined && !(Json.isObject(stop) && typeof stop["isReached"] === "function")) {
    return wrong(["stop"], "a condition, such as Stop.steps(5)", stop)
  }
  if (settings !== undefined && !Json.isPlain(settings)) return wrong(["settings"], "an object", settings)
  const lives = signing?.timeToLive
  return lives === undefined || Option.isSome(Duration.decodeUnknown(lives))
    ? undefined
    : wrong(["signing", "timeToLive"], "a duration, such as 1 hour", lives)
}

/** A misspelt word would be taken for the default, or for another one. */
const choice = (option: string, given: string | undefined, words: ReadonlyArray<string>): InvalidAgent | undefined =>
  given === undefined || words.includes(given)
    ? undefined
    : new InvalidAgent({
        path: [option],
        expected: words.map((word) => Issue.show(word)).join(" or "),
        received: Issue.show(given)
      })

/** A run would never stop at a tool that there is not. Where tools come and go, it may come later. */
export const checkToolNames = (
  path: ReadonlyArray<string>,
  wanted: ReadonlyArray<string>,
  { offer }: Pick<Toolset.Any, "offer">
): Effect.Effect<void, InvalidAgent> =>
  Effect.flatMap(Effect.exit(offer), (now) => {
    if (wanted.length === 0 || Exit.isFailure(now)) return Effect.void
    const names = [...now.value.entries.keys()]
    const name = wanted.find((one) => !names.includes(one))
    if (name === undefined) return Effect.void
    const expected = `the name of a tool${NearestNames.hint(name, names)}`
    const wrong = new InvalidAgent({ path, expected, received: Issue.show(name) })
    return Exit.isExit(offer) ? Effect.fail(wrong) : Effect.logWarning(wrong.message)
  })

/** What is wrong with `search`: in plain JavaScript it may be anything. */
const invalidSearch = (search: unknown): InvalidAgent | undefined => {
  if (search === undefined) return undefined
  const wrong = (path: ReadonlyArray<string>, expected: string, received: unknown) =>
    new InvalidAgent({ path: ["search", ...path], expected, received: Issue.show(received) })
  if (!Json.isPlain(search)) return wrong([], "an object, such as { pinned: [] }", search)
  const { embedder, form, limit, pinned } = search
  const isTexts = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === "string")
  if (pinned !== undefined && !isTexts(pinned)) return wrong(["pinned"], "a list of names of tools", pinned)
  if (limit !== undefined && !(Number.isInteger(limit) && Number(limit) > 0)) {
    return wrong(["limit"], "a whole number of at least 1", limit)
  }
  for (const key of ["requests", "learnt"]) {
    const requests = search[key]
    if (requests !== undefined && !(Json.isPlain(requests) && Object.values(requests).every(isTexts))) {
      return wrong([key], "lists of requests by the name of a tool", requests)
    }
  }
  if (embedder !== undefined && !(Json.isObject(embedder) && typeof embedder["embed"] === "function")) {
    return wrong(["embedder"], "an object with a function `embed`", embedder)
  }
  const forms = ["native", "hosted", "call-through", "activation"]
  if (form !== undefined && !(typeof form === "string" && forms.includes(form))) {
    return wrong(["form"], `one of ${forms.map((one) => `"${one}"`).join(", ")}`, form)
  }
  return unknownOption(search, ["search"], ["pinned", "limit", "requests", "learnt", "embedder", "form"])
}

const optionNames: ReadonlyArray<string> = Object.keys({
  model: true,
  name: true,
  about: true,
  toolset: true,
  policy: true,
  search: true,
  instructions: true,
  stop: true,
  mistakes: true,
  prepare: true,
  output: true,
  outputTool: true,
  window: true,
  answer: true,
  signing: true,
  startEarly: true,
  whenInterrupted: true,
  options: true,
  settings: true,
  retries: true
} satisfies {
  readonly [
    Name in keyof Required<Config<{}, never, never, string, string, never, never, never, never, never, never>>
  ]: true
})

const count = (path: ReadonlyArray<string>, value: number): InvalidAgent | undefined =>
  Number.isInteger(value) && value >= 0
    ? undefined
    : new InvalidAgent({ path, expected: "a whole number of at least 0", received: Issue.show(value) })

/** What protects must not depend on a name that is spelt right, as in plain JavaScript. */
export const unknownOption = (
  given: unknown,
  path: ReadonlyArray<string>,
  names: ReadonlyArray<string>
): InvalidAgent | undefined => {
  if (given === undefined) return undefined
  if (!Json.isPlain(given)) return new InvalidAgent({ path, expected: "an object", received: Issue.show(given) })
  const isUnknown = ([name, value]: [string, unknown]) => value !== undefined && !names.includes(name)
  const name = Object.entries(given).find(isUnknown)?.[0]
  return name === undefined
    ? undefined
    : new InvalidAgent({
        path: [...path, name],
        expected: `named as an option is${NearestNames.hint(name, names)}`,
        received: `named ${Issue.show(name)}`
      })
}

/** What is wrong with what `prepare` gave: without types it may be anything. */
export const invalidChanges = (changes: unknown): InvalidAgent | undefined =>
  Json.isPlain(changes)
    ? unknownOption(changes, ["prepare"], changeNames)
    : new InvalidAgent({
        path: ["prepare"],
        expected: "an Effect of an object of changes",
        received: Issue.show(changes)
      })

const changeNames: ReadonlyArray<string> = Object.keys({
  model: true,
  instructions: true,
  offered: true,
  options: true,
  settings: true
} satisfies { readonly [Name in keyof Required<Changes>]: true })
