/** The tools of a manifest: each entry with what runs it. */
import type { Toolset } from "@wield/core"
import * as Facts from "@wield/core/Facts"
import { CallLost } from "@wield/core/CallLost"
import * as NearestNames from "@wield/core/NearestNames"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as ExecutorError from "../ExecutorError.js"
import type { Arguments, Execute, Executor } from "../Executor.js"
import type { ApiEntry, ClientEntry, Entry, LocalEntry } from "../ManifestEntry.js"
import * as ManifestProblem from "../ManifestProblem.js"
import type { Handler, LocalTool, Manifest, Options } from "../Manifest.js"
import { executorsOf } from "./executors.js"
import { factsOf } from "./facts.js"
import { filledParameters, hasParameter, isInternal, parameterNames, takesOthers, without } from "./parameters.js"
import { inContext } from "./parts.js"
import { type Fill, filler, isReserved } from "./reserved.js"

type Tool = Toolset.DynamicTool<unknown>

export interface Tools {
  readonly tools: ReadonlyArray<Tool>
  readonly problems: ReadonlyArray<ManifestProblem.ManifestProblem>
}

export const toTools = (manifest: Manifest, binding: Options): Effect.Effect<Tools, unknown, unknown> =>
  Effect.gen(function* () {
    const entries = manifest.entries
      .filter((entry) => !isInternal(entry))
      .map((entry) => withDefinition(entry, binding, manifest.context))
    const apiEntries = entries.filter((entry) => entry._tag === "Api")
    const executors = yield* executorsOf(manifest, apiEntries, binding)
    const problems = [...executors.problems, ...unusedHandlers(entries, binding)]
    const fill = filler()
    const tools = entries.flatMap((entry) => {
      const { faults, tool } = toolOf(entry, binding, executors.all)
      problems.push(...faults.map((fault) => ManifestProblem.at(entry, fault)))
      return tool === undefined ? [] : [withContext(entry, tool, fill)]
    })
    return { tools, problems }
  })

/** An entry that has a name only, with the definition of its handler: what the configuration hides is hidden in it too. */
const withDefinition = (entry: Entry, { handlers = {} }: Options, context: ReadonlyArray<string>): Entry => {
  const { name } = entry.function
  if (entry._tag !== "Local" || !entry.isNameOnly || !Object.hasOwn(handlers, name)) return entry
  const { description, parameters = {} } = localOf(handlers[name]!)
  return inContext({ ...entry, function: { name, description, parameters } }, context)
}

interface Made {
  readonly tool: Tool | undefined
  readonly faults: ReadonlyArray<ManifestProblem.Fault>
}

const toolOf = (entry: Entry, binding: Options, executors: ReadonlyMap<string, Executor>): Made => {
  switch (entry._tag) {
    case "Api": {
      const executor = executors.get(entry.api.name.toLowerCase())
      // That it is not there has been reported.
      return executor === undefined ? { tool: undefined, faults: [] } : apiTool(entry, executor)
    }
    case "Local":
      return localTool(entry, binding.handlers ?? {})
    case "Client":
      return { tool: clientTool(entry), faults: [] }
  }
}

const apiTool = (entry: ApiEntry, executor: Executor): Made => {
  const faults = executor.check(entry)
  if (faults.some(ManifestProblem.isError)) return { tool: undefined, faults }
  const execute = whenCalled(() => executor.prepare(entry))
  const { limits, result } = entry.api
  const { timeout } = limits
  const facts = factsOf(entry, executor.kind)
  const late = (): ExecutorError.RequestFailed =>
    new ExecutorError.RequestFailed({
      reason: "timeout",
      detail: `no answer within ${timeout} ms`,
      mayHaveTakenEffect: true
    })
  const end = Facts.isRepeatable(facts) ? identity<ExecutorError.ExecutorError> : lostOrFailed
  const tool: Tool = {
    ...definitionOf(entry),
    outputSchema: result.schema,
    facts,
    execute: (parameters) =>
      (timeout === undefined
        ? execute(parameters)
        : // An executor that keeps to it knows more of how it ended.
          Effect.timeoutFail(execute(parameters), { duration: timeout + grace, onTimeout: late })
      ).pipe(Effect.mapError(end))
  }
  return { tool, faults }
}

/** Milliseconds. */
const grace = 1_000

/** What had no answer may have had its effect: no model reads that it failed. */
const lostOrFailed = (error: ExecutorError.ExecutorError): CallLost | ExecutorError.ExecutorError =>
  "reason" in error &&
  error.mayHaveTakenEffect === true &&
  (error.reason === "unreachable" || error.reason === "timeout")
    ? new CallLost({ reason: error.detail })
    : error

/** Most tools of a large API are never called. */
const whenCalled = (prepare: () => Execute): Execute => {
  let prepared: Execute | undefined
  return (parameters) => (prepared ??= prepare())(parameters)
}

const localTool = (entry: LocalEntry, handlers: NonNullable<Options["handlers"]>): Made => {
  const { name } = entry.function
  const given = Object.hasOwn(handlers, name) ? handlers[name] : undefined
  if (given === undefined) {
    const message = `Nothing handles the local tool ${JSON.stringify(name)}${NearestNames.suggestion(name, Object.keys(handlers))}; give its handler in code`
    return { tool: undefined, faults: [ManifestProblem.error("unbound-local", message, ["function", "name"])] }
  }
  const { facts, handle } = localOf(given)
  const tool: Tool = {
    ...definitionOf(entry),
    facts: factsOf({ ...entry, facts: { ...facts, ...entry.facts } }),
    execute: handle
  }
  return { tool, faults: [] }
}

const localOf = (given: Handler<unknown> | LocalTool<unknown>): LocalTool<unknown> =>
  typeof given === "function" ? { handle: given } : given

const clientTool = (entry: ClientEntry): Tool => ({
  ...definitionOf(entry),
  facts: factsOf(entry),
  // Never called: its calls are deferred.
  execute: () => Effect.dieMessage(`${entry.function.name} is executed by the client`)
})

const definitionOf = (entry: Entry) => ({
  name: entry.function.name,
  description: entry.function.description,
  inputSchema: filledParameters(entry)
})

/**
 * The tool with its hidden fields. Reserved ones are not in its schema, and what no parameter is named for is left
 * out.
 */
const withContext = (entry: Entry, tool: Tool, fill: Fill): Tool => {
  const schema = tool.inputSchema ?? {}
  const names = parameterNames(schema)
  const hidden = new Set(entry.context.map((name) => name.toLowerCase()))
  const reserved = entry.context.filter(isReserved).map((name) => spelled(name, names))
  const visible = without(schema, (name) => isReserved(name) && hidden.has(name.toLowerCase()))
  const takes = takesOthers(schema)
    ? (name: string) => !(isReserved(name) && hidden.has(name.toLowerCase()))
    : (name: string) => hasParameter(schema, name) && !reserved.includes(name)
  const known = (parameters: Arguments): Arguments =>
    Object.fromEntries(Object.entries(parameters).filter(([name]) => takes(name)))
  return {
    ...tool,
    inputSchema: visible,
    hidden: names.filter((name) => hidden.has(name.toLowerCase()) && !isReserved(name)),
    execute: (parameters) =>
      reserved.length === 0
        ? tool.execute(known(parameters))
        : Effect.flatMap(fill(reserved, schema), (filled) => tool.execute({ ...known(parameters), ...filled }))
  }
}

const spelled = (name: string, names: ReadonlyArray<string>): string =>
  names.find((other) => other.toLowerCase() === name.toLowerCase()) ?? name

const unusedHandlers = (
  entries: ReadonlyArray<Entry>,
  { handlers = {} }: Options
): ReadonlyArray<ManifestProblem.ManifestProblem> => {
  const locals = entries.filter((entry) => entry._tag === "Local").map((entry) => entry.function.name)
  return Object.keys(handlers)
    .filter((name) => !locals.includes(name))
    .map((name) => {
      const message = `No local tool is named ${JSON.stringify(name)}${NearestNames.suggestion(name, locals)}; its handler is not used`
      return ManifestProblem.make({ severity: "warning", rule: "unused-handler", message })
    })
}
