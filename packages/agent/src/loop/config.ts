/** What is wrong with how an agent is made: in plain JavaScript its options may be anything, and have any name. */
import * as Content from "@wield/core/Content"
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import * as Options from "@wield/core/Options"
import type * as Toolset from "@wield/core/Toolset"
import type { WireFormat } from "@wield/providers"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { Config } from "../Agent.js"
import { InvalidAgent } from "../AgentError.js"
import { aModel } from "../model/options.js"
import type { Stop } from "../Stop.js"
import type { SearchOptions } from "./discovery.js"
import type { Changes, Input } from "./input.js"

const {
  aCount,
  aCountOrZero,
  aDuration,
  aFlag,
  aFunction,
  aName,
  anything,
  aText,
  fields,
  holds,
  list,
  oneOf,
  orThrow,
  record,
  secrets,
  texts
} = Options

export const invalidConfig = (config: { readonly stop?: Stop | undefined }): InvalidAgent | undefined => {
  const problem = invalid(checkConfig(config))
  if (problem !== undefined || config.stop?.invalid === undefined) return problem
  return new InvalidAgent({ path: ["stop"], expected: config.stop.invalid, received: config.stop.name })
}

/** What is wrong with what `prepare` gave. */
export const invalidChanges = (changes: unknown): InvalidAgent | undefined =>
  Json.isPlain(changes)
    ? invalid(checkChanges(changes, ["prepare"]))
    : new InvalidAgent({
        path: ["prepare"],
        expected: "an Effect of an object of changes",
        received: Issue.show(changes)
      })

/** What a function of the agent gave: a promise would be engine text where it is run. */
export const effectBy = <A, E, R>(name: string, given: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.isEffect(given)
    ? given
    : Effect.die(
        new InvalidAgent({
          path: [name],
          expected: "a function that gives an Effect",
          received: `one that gives ${Issue.show(given)}`
        })
      )

/** What is wrong with what the instructions gave. */
export const invalidInstructions = (given: unknown): InvalidAgent | undefined =>
  given === undefined || typeof given === "string"
    ? undefined
    : new InvalidAgent({ path: ["instructions"], expected: "a text", received: Issue.show(given) })

const invalid = (problem: Options.Problem | undefined): InvalidAgent | undefined => problem && new InvalidAgent(problem)

const anObject = holds("an object", Json.isPlain)

const search = {
  pinned: texts,
  limit: aCount,
  requests: record(texts),
  learnt: record(texts),
  embedder: holds(
    "an object with a function `embed`",
    (value) => Json.isObject(value) && typeof value["embed"] === "function"
  ),
  form: oneOf("native", "hosted", "call-through", "activation")
} satisfies Options.Checks<SearchOptions>

/** How tools are offered. Of a choice, each format says what it takes. */
const offerChecks = {
  choice: anything,
  isParallel: aFlag,
  isStrict: aFlag,
  isCached: aFlag
} satisfies Options.Checks<WireFormat.ToolsOptions>

const checkConfig = fields(
  {
    model: aModel,
    name: aName,
    about: fields({ id: aText, description: aText, version: aText }),
    toolset: holds(
      "a toolset, such as `yield* Toolset.fromToolkit(…)` gives",
      (value) => Json.isObject(value) && Effect.isEffect(value["offer"])
    ),
    // The runner looks at it.
    policy: anything,
    search: fields(search),
    instructions: holds("a text, or an Effect of one", (value) => typeof value === "string" || Effect.isEffect(value)),
    stop: holds(
      "a condition, such as Stop.steps(5)",
      (value) => Json.isObject(value) && typeof value["isReached"] === "function"
    ),
    mistakes: fields({ perTool: aCountOrZero, total: aCountOrZero }),
    prepare: aFunction,
    output: holds("a Schema", Schema.isSchema),
    outputTool: fields({ name: aName, description: aText }),
    window: holds(
      "a window, such as ContextWindow.make(…) gives",
      (value) => Json.isObject(value) && typeof value["view"] === "function"
    ),
    answer: aFunction,
    signing: fields(
      {
        secrets,
        // What is negative, or no number, would be taken for 0, at which no request can be answered.
        timeToLive: holds("a duration, such as 1 hour", (value) => value === 0 || aDuration(value) === undefined)
      },
      ["secrets"]
    ),
    startEarly: oneOf("always", "safe", "never"),
    whenInterrupted: oneOf("forget", "keep"),
    options: fields(offerChecks),
    settings: anObject,
    retries: aCountOrZero
  } satisfies Options.Checks<Config<{}, never, never, string, string, never, never, never, never, never, never>>,
  ["model"]
)

const checkChanges = fields({
  model: aModel,
  instructions: aText,
  offered: texts,
  options: fields(offerChecks),
  settings: anObject
} satisfies Options.Checks<Changes>)

const isContent = (value: unknown): boolean =>
  typeof value === "string" || (Array.isArray(value) && value.every(Content.isPart))

const input = {
  prompt: holds('a text, or an array of parts, such as Content.text("…")', isContent),
  promptId: aName,
  conversation: holds(
    "a conversation, such as `result.conversation`",
    (value) => Json.isObject(value) && Effect.isEffect(value["entries"])
  ),
  answers: holds("an array of answers", Array.isArray),
  inbox: holds("an Effect of messages", Effect.isEffect),
  handOver: holds("a Deferred", Effect.isEffect),
  context: anything
} satisfies Options.Checks<Input<{}>>

export const checkRunOptions = (options: unknown): void =>
  orThrow(fields({ onEvent: aFunction })(options), "What else a run is given")

/** Throws what is wrong with how an agent becomes a tool. */
export const checkToolOptions = (options: unknown): void =>
  orThrow(
    fields({ name: aName, description: aText, task: aText }, ["name", "description"])(options),
    "What `Agent.toToolset` takes"
  )

const messages = list(
  holds(
    "{ id, content }, whose content is a text, or an array of parts",
    (value) => Json.isObject(value) && aName(value["id"]) === undefined && isContent(value["content"])
  )
)

/** Throws what is wrong with what a run is given: a misspelt option would be one that is not there. */
export const checkInput = (given: unknown, required: ReadonlyArray<string> = []): void =>
  orThrow(fields(input, required)(given), "What a run is given")

/** Throws what is wrong with what the inbox gave: it would stay in the conversation, and each later request be refused for it. */
export const checkMessages = (given: unknown): void => orThrow(messages(given, ["inbox"]))

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
