/** Whether recorded calls are still valid for tools that have changed. Nothing is run. */
import type { ToolDefinition, ToolsetError } from "@wield/core"
import * as Approval from "@wield/core/Approval"
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolRunner from "@wield/core/ToolRunner"
import * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"

/**
 * What became of a recorded call.
 *
 * @category models
 */
export interface Replayed {
  readonly call: ToolCall.ToolCall
  /** `repaired`: valid after a repair that the runner makes, such as of a trailing comma. */
  readonly verdict: "valid" | "repaired" | "refused"
  /** Why it is refused, or what of it has no effect any more. They hold no value of an argument. */
  readonly reasons: ReadonlyArray<string>
}

/**
 * Calls against tools as they are now. A call goes as far as the runner goes before it asks for approval: no handler
 * runs, and no hidden field is needed.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Replay } from "@wield/cli"
 * import { ToolCall, ToolDefinition } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const pay = ToolDefinition.make({
 *   name: "pay",
 *   inputSchema: { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] }
 * })
 * const calls = [ToolCall.make("1", "pay", { cents: 200 }), ToolCall.make("2", "pay", { amount: 2 })]
 * const program = Effect.flatMap(Replay.toolsetOf([pay]), (toolset) => Replay.against(calls, toolset))
 * Effect.runPromise(program).then((replayed) =>
 *   assert.deepStrictEqual(replayed.map(({ verdict, reasons }) => [verdict, ...reasons]), [
 *     ["valid"],
 *     ["refused", "cents: expected an integer, but it is missing"]
 *   ])
 * )
 * ```
 *
 * @category replaying
 */
export const against = <E>(
  calls: ReadonlyArray<ToolCall.ToolCall>,
  toolset: Toolset.Toolset<unknown, never, E>
): Effect.Effect<ReadonlyArray<Replayed>, E | ToolsetError> =>
  Effect.gen(function* () {
    const policy = { approval: () => Approval.ask(), repeatGuard: false } as const
    const runner = yield* ToolRunner.make(toolset, policy)
    const strict = yield* ToolRunner.make(toolset, { ...policy, unknownArguments: "reject" })
    return yield* Effect.forEach(calls, (call) =>
      Effect.gen(function* () {
        const [outcome] = yield* runner.settle([call])
        if (outcome === undefined) return yield* Effect.dieMessage("One call has one outcome")
        if (outcome._tag === "InvalidArguments") return { call, verdict: "refused", reasons: reasonsOf(outcome.issues) }
        if (outcome._tag === "UnknownTool" || outcome._tag === "Unavailable") {
          const [nearest] = outcome.nearest
          const hint = nearest === undefined ? "" : `; the nearest name is ${nearest}`
          return { call, verdict: "refused", reasons: [`There is no tool of this name${hint}`] }
        }
        const verdict = outcome.notes.some(({ _tag }) => _tag === "Repaired") ? "repaired" : "valid"
        const [narrow] = yield* strict.settle([call])
        const ignored = narrow?._tag === "InvalidArguments" ? narrow.issues : []
        return { call, verdict, reasons: ignored.map(({ path }) => `${Issue.pathToText(path)} is ignored`) }
        // Each return above gives one of its forms.
      }).pipe(Effect.map((replayed): Replayed => replayed as Replayed))
    )
    // Of a context that is not here, and need not be.
  }).pipe(Logger.withMinimumLogLevel(LogLevel.None))

const reasonsOf = (issues: ReadonlyArray<Issue.Issue>): ReadonlyArray<string> =>
  issues.map(({ expected, path, received }) => {
    const isMissing = received === undefined ? ", but it is missing" : ""
    return `${Issue.pathToText(path)}: expected ${expected}${isMissing}`
  })

/**
 * A toolset of definitions alone, to replay against: its tools cannot be run.
 *
 * @category constructors
 */
export const toolsetOf = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
): Effect.Effect<Toolset.Toolset<Toolset.DynamicTools>, ToolsetError> =>
  Toolset.constant(
    definitions.map(({ inputSchema, name }) => ({
      name,
      inputSchema,
      execute: () => Effect.dieMessage("It is a definition only")
    }))
  )

/**
 * The calls in any JSON: in provider requests and responses, exported conversations, or lines of `{ name, arguments }`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Replay } from "@wield/cli"
 *
 * const body = { content: [{ type: "tool_use", id: "a", name: "pay", input: { cents: 200 } }] }
 * assert.deepStrictEqual(Replay.callsIn(body), [{ id: "a", name: "pay", arguments: { cents: 200 } }])
 * ```
 *
 * @category reading
 */
export const callsIn = (json: unknown): ReadonlyArray<ToolCall.ToolCall> => {
  const found: Array<ToolCall.ToolCall> = []
  const left: Array<{ readonly value: unknown; readonly id: unknown }> = [{ value: json, id: undefined }]
  while (left.length > 0) {
    const { id, value } = left.pop() ?? { value: undefined, id: undefined }
    if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--) left.push({ value: value[index], id: undefined })
      continue
    }
    if (!Json.isObject(value)) continue
    const args = argumentsOf(value)
    if (args !== undefined && typeof value["name"] === "string") {
      const own = value["id"] ?? value["call_id"] ?? value["toolUseId"] ?? id
      found.push(ToolCall.make(typeof own === "string" ? own : `call_${found.length + 1}`, value["name"], args))
      // What a call was given may look like a call.
      continue
    }
    for (const [key, part] of Object.entries(value).reverse()) {
      // Gemini leaves out the arguments of a call that has none.
      const isBare = key === "functionCall" && Json.isObject(part) && argumentsOf(part) === undefined
      left.push({ value: isBare ? { ...part, args: {} } : part, id: value["id"] })
    }
  }
  return found
}

const argumentsOf = (value: { readonly [key: string]: unknown }): unknown => {
  if (value["arguments"] !== undefined) return value["arguments"]
  if (value["args"] !== undefined) return value["args"]
  return value["type"] === "tool_use" || "toolUseId" in value ? value["input"] : undefined
}
