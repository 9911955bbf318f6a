/** `wield call`: one call through the whole pipeline. */
import { randomUUID } from "node:crypto"
import type { CallContext, ToolDefinition } from "@wield/core"
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as Note from "@wield/core/Note"
import * as Outcome from "@wield/core/Outcome"
import * as Response from "@wield/core/Response"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolRunner from "@wield/core/ToolRunner"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { parseData } from "../config/readData.js"
import { namedToolset } from "../config/toolsets.js"
import { ofOutcome } from "../ExitCode.js"
import { plain, print, printProblems, printReport, reportInput } from "../output/print.js"
import { messageOf, Refused } from "../output/Refused.js"
import * as Reports from "../output/reports.js"
import { Shell } from "../output/Shell.js"
import {
  type Command,
  type Common,
  jsonOrText,
  openProject,
  givenTwice,
  readPairs,
  readText,
  resultOf,
  splitPair
} from "./common.js"

export interface Options extends Common {
  readonly tool: string
  readonly fields: ReadonlyArray<string>
  readonly args: Option.Option<string>
  readonly context: ReadonlyArray<string>
  readonly toolset: Option.Option<string>
  readonly approve: boolean
  readonly deny: Option.Option<string>
}

export const call = (given: Options): Command =>
  Effect.gen(function* () {
    const { definitions, policy, problems, project, services, toolset } = yield* openProject(
      given,
      "run",
      // A named toolset refers to tools of any source.
      Option.isNone(given.toolset) ? given.tool : undefined
    )
    const offered = Option.isNone(given.toolset) ? toolset : yield* namedToolset(toolset, project, given.toolset.value)
    const definition = definitions.find(({ name }) => name === given.tool)
    if (definition === undefined) yield* printProblems(problems)
    const context: CallContext.Values = { ...project.config.context, ...(yield* readPairs(given.context)) }
    const args = yield* readArguments(given, definition)
    const outcome = yield* Effect.gen(function* () {
      const runner = yield* ToolRunner.make(offered, policy)
      const run = runner.forRun({ context })
      const sent = ToolCall.make(`call_${randomUUID()}`, given.tool, args)
      const [first] = yield* run.settle([sent], watcher)
      // One call has one outcome.
      const begun = first!
      if (!Outcome.isDeferred(begun)) return begun
      const response = yield* answer(begun, given)
      if (response === undefined) return begun
      return yield* run.resume(begun, response, watcher)
    }).pipe(
      Effect.mapError((error) => (error instanceof Refused ? error : Refused.unusable(messageOf(error)))),
      Effect.provide(services)
    )
    yield* given.json ? printReport(Reports.Call, reportOf(outcome)) : printOutcome(outcome)
    return ofOutcome(outcome)
  }).pipe(Effect.scoped)

const watcher: ToolRunner.Watcher = {
  started: () => undefined,
  progress: () => (value) => Console.error(plain(typeof value === "string" ? value : JSON.stringify(value))),
  finished: () => undefined
}

/** The arguments as text, where they are given as text: the runner parses and repairs it as a model's. */
const readArguments = (
  { args, fields }: Options,
  definition: ToolDefinition.ToolDefinition | undefined
): Effect.Effect<unknown, Refused> =>
  Effect.gen(function* () {
    const text = Option.isNone(args) ? undefined : yield* readText(args.value)
    if (fields.length === 0) return text ?? {}
    const base = text === undefined ? {} : yield* parseData(text, "--args")
    if (!Json.isObject(base)) return yield* Refused.usage("--args has to be a JSON object where key=value is given too")
    const properties = Json.isObject(definition?.inputSchema["properties"]) ? definition.inputSchema["properties"] : {}
    const values = new Map<string, unknown>(Object.entries(base))
    const seen = new Set<string>()
    for (const field of fields) {
      if (field.startsWith("{")) return yield* Refused.usage("Arguments as JSON are given by --args")
      const [key, value] = yield* splitPair(field)
      const schema = Object.hasOwn(properties, key) ? properties[key] : undefined
      const before = values.get(key)
      if (takes(schema, "array") && !value.startsWith("[")) {
        const items = Json.isObject(schema) ? schema["items"] : undefined
        values.set(key, [...(Array.isArray(before) ? before : []), read(value, items)])
      } else {
        if (seen.has(key)) return yield* givenTwice(key)
        values.set(key, read(value, schema))
      }
      seen.add(key)
    }
    return Object.fromEntries(values)
  })

/** Text stays text where the schema takes a text: a house number `12` is no number to count with. */
const read = (text: string, schema: unknown): unknown => (takes(schema, "string") ? text : jsonOrText(text))

const takes = (schema: unknown, type: string): boolean =>
  Json.isObject(schema) && (Array.isArray(schema["type"]) ? schema["type"].includes(type) : schema["type"] === type)

/** What the person says to a call that waits; `undefined` leaves it waiting. */
const answer = (
  { arguments: args, name, waitsFor, why }: Outcome.Deferred,
  { approve, deny }: Options
): Effect.Effect<Response.Approve | Response.Deny | undefined, Refused> =>
  Effect.gen(function* () {
    if (Option.isSome(deny)) return Response.deny(deny.value)
    if (waitsFor !== "approval") return undefined
    if (approve) return Response.approve
    const { ask, isInteractive } = yield* Shell
    if (!isInteractive) return undefined
    yield* Console.error(`${plain(name)} ${plain(JSON.stringify(args))}${why === undefined ? "" : `\n${plain(why)}`}`)
    const reply = yield* ask("Run it? [y]es, [n]o, or why not: ")
    if (/^y(es)?$/i.test(reply.trim())) return Response.approve
    const isBare = /^(no?)?$/i.test(reply.trim())
    return Response.deny(isBare ? "the user did not approve it" : reply.trim())
  })

const printOutcome = (outcome: Outcome.Outcome): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const note of outcome.notes) yield* Console.error(`note: ${Note.toText(note)}`)
    if (outcome._tag === "Success") {
      const { content, encoded, text } = outcome
      if (typeof encoded === "string") return yield* print(encoded)
      if (content !== undefined) return yield* print(Outcome.text(outcome) ?? text)
      return yield* print(JSON.stringify(encoded, null, 2))
    }
    if (outcome._tag === "Deferred") {
      const { arguments: args, input, name, waitsFor, why } = outcome
      yield* Console.error(`${plain(name)} waits for ${waits[waitsFor]}${why === undefined ? "" : `: ${plain(why)}`}`)
      if (input !== undefined) yield* Console.error(reportInput(input))
      return yield* print(JSON.stringify(args, null, 2))
    }
    if (outcome._tag === "MissingContext") {
      for (const issue of outcome.issues) yield* Console.error(`${Issue.toText(issue)}. Give it with --context`)
      return
    }
    yield* Console.error(plain(Outcome.text(outcome) ?? outcome._tag))
    if (outcome._tag === "Defect") yield* Console.error(plain(outcome.cause.toString()))
    if (outcome._tag === "InvalidResult") {
      for (const issue of outcome.issues) yield* Console.error(plain(Issue.toText(issue)))
    }
  })

const reportOf = (outcome: Outcome.Outcome): typeof Reports.Call.Type => {
  const text = Outcome.text(outcome)
  return {
    wield: 1,
    command: "call",
    tool: outcome.name,
    id: outcome.id,
    outcome: outcome._tag,
    exitCode: ofOutcome(outcome),
    notes: outcome.notes.map(Note.toText),
    ...(text === undefined ? {} : { text }),
    ...(outcome._tag === "Success" || outcome._tag === "Failure" ? { result: resultOf(outcome) } : {}),
    ...("issues" in outcome ? { issues: outcome.issues.map(Issue.toJson) } : {}),
    ...("nearest" in outcome ? { nearest: outcome.nearest } : {}),
    ...(outcome._tag === "Deferred" ? deferredOf(outcome) : {})
  }
}

const waits: { readonly [Kind in Outcome.WaitsFor]: string } = {
  approval: "approval (--approve, or --deny reason)",
  client: "a client that runs it",
  input: "input, which an agent's run can be given (wield run)"
}

const deferredOf = ({ arguments: args, digest, input, waitsFor, why }: Outcome.Deferred) => ({
  arguments: args,
  digest,
  waitsFor,
  ...Json.withoutUndefined({ input: input && Outcome.inputToJson(input), why })
})
