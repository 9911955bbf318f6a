/** The two calls that keep messages, ready to be made. */
import type { Options } from "../ApiConversationStore.js"
import * as Effect from "effect/Effect"
import type { Execute, Executor } from "../Executor.js"
import { executorsOf } from "../load/executors.js"
import type { ExecutorOptions, Manifest } from "../Manifest.js"
import { isReserved } from "../load/reserved.js"
import type { ApiEntry } from "../ManifestEntry.js"
import { InvalidManifest } from "../ManifestError.js"
import * as ManifestProblem from "../ManifestProblem.js"
import { addParameters, allNames, contextFaults, overlapping, overlaps, parametersTaken } from "./fields.js"
import { getMessages, saveMessage } from "../load/parameters.js"

export interface Call {
  readonly entry: ApiEntry
  readonly taken: ReturnType<typeof parametersTaken>
  readonly execute: Execute
}

export interface Calls {
  readonly save: Call
  readonly get: Call
  /** The field of the context that tells one conversation from another. */
  readonly conversation: string
}

type CallOptions = ExecutorOptions & Pick<Options, "context" | "conversationField">

export const callsOf = (manifest: Manifest, options: CallOptions): Effect.Effect<Calls, unknown, unknown> =>
  Effect.gen(function* () {
    const save = named(manifest, saveMessage)
    const get = named(manifest, getMessages)
    if (save === undefined || get === undefined) {
      const absent = save === undefined ? saveMessage : getMessages
      return yield* invalid([
        general("missing-entry", `There is no entry ${absent} of type api, so messages cannot be kept; add one`)
      ])
    }
    const { all, problems } = yield* executorsOf(manifest, [save, get], options)
    const conversation = conversationField(get, options)
    const found = [
      ...problems,
      ...[save, get].flatMap((entry) => contextFaults(entry).map((fault) => ManifestProblem.at(entry, fault))),
      ...Object.keys(options.context ?? {})
        .filter(overlaps)
        .map((name) => general("context-overlap", overlapping(name))),
      ...(typeof conversation === "string" ? [] : [conversation])
    ]
    const field = typeof conversation === "string" ? conversation : ""
    const context = (entry: ApiEntry) => [...new Set([...entry.context, ...Object.keys(options.context ?? {}), field])]
    const made = [
      callOf(save, [...allNames, ...context(save)], all),
      callOf(get, ["limit", ...context(get)], all)
    ] as const
    found.push(...made.flatMap(({ problems }) => problems))
    const [first, second] = made
    if (found.some(ManifestProblem.isError) || first.call === undefined || second.call === undefined) {
      return yield* invalid(found)
    }
    return { save: first.call, get: second.call, conversation: field }
  })

const named = ({ entries }: Manifest, name: string): ApiEntry | undefined =>
  entries.find(
    (entry): entry is ApiEntry => entry._tag === "Api" && entry.function.name.toLowerCase() === name.toLowerCase()
  )

const invalid = (problems: ReadonlyArray<ManifestProblem.ManifestProblem>) => new InvalidManifest({ problems })

const general = (rule: string, message: string) => ManifestProblem.make({ severity: "error", rule, message })

/** The one that is given; else the only one of the context that the program gives no value for. */
const conversationField = (entry: ApiEntry, options: CallOptions): string | ManifestProblem.ManifestProblem => {
  const { conversationField: given } = options
  if (given !== undefined) return overlaps(given) ? general("context-overlap", overlapping(given)) : given
  const supplied = new Set(Object.keys(options.context ?? {}).map((name) => name.toLowerCase()))
  const [only, ...others] = entry.context.filter(
    (name) => !isReserved(name) && !entry.optionalContext.includes(name) && !supplied.has(name.toLowerCase())
  )
  if (only !== undefined && others.length === 0) return only
  const message = `Which field tells one conversation from another is not clear: ${entry.function.name} has ${
    only === undefined ? "no field" : `the fields ${[only, ...others].join(", ")}`
  } in its context that the program gives no value for; name it with conversationField`
  return ManifestProblem.at(entry, ManifestProblem.error("conversation-field", message, ["context"]))
}

const callOf = (entry: ApiEntry, names: ReadonlyArray<string>, executors: ReadonlyMap<string, Executor>) => {
  const executor = executors.get(entry.api.name.toLowerCase())
  if (executor === undefined) return { call: undefined, problems: [] }
  const all = parametersTaken(entry, names)
  const whole = addParameters(entry, all.names)
  const problems = executor.check(whole).map((fault) => ManifestProblem.at(entry, fault))
  return problems.some(ManifestProblem.isError)
    ? { call: undefined, problems }
    : { call: { entry, taken: all, execute: executor.prepare(whole) }, problems }
}
