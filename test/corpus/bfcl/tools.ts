/**
 * The functions of the leaderboard as tools that answer with what they were
 * given. Many functions have the same name; a toolset takes each name once, so
 * there are as many toolsets as the most frequent name has functions.
 */
import {
  CallContext,
  type Json,
  JsonSchema,
  Toolset,
  ToolRunner,
  type Outcome,
  type ToolCall,
  type ToolDefinition
} from "@wield/core"
import { Effect, Either } from "effect"
import type { BfclFunction } from "./cases.js"

export interface Tool {
  readonly definition: ToolDefinition.ToolDefinition
  readonly validator: JsonSchema.Validator
  readonly run: (call: ToolCall.ToolCall) => Promise<Outcome.Outcome>
  /** By a policy that rejects unknown arguments. */
  readonly runStrictly: (call: ToolCall.ToolCall) => Promise<Outcome.Outcome>
  /** With a further parameter that the call context supplies. */
  readonly hiding: { readonly definition: ToolDefinition.ToolDefinition; readonly run: Tool["run"] }
}

export const hiddenField = "wield_session"

export const hiddenValue = "of the call context"

export interface Imported {
  readonly tools: ReadonlyMap<string, Tool>
  /** Why a function could not be imported, by its key. */
  readonly failures: ReadonlyMap<string, string>
}

export const keyOf = (each: BfclFunction): string => JSON.stringify([each.name, each.parameters])

const inputSchema = (each: BfclFunction): Json.JsonSchema => each.parameters

const withHidden = (schema: Json.JsonSchema): Json.JsonSchema => {
  const { properties, required } = schema
  return {
    ...schema,
    properties: { ...(properties as object | undefined), [hiddenField]: { type: "string" } },
    required: [...(Array.isArray(required) ? required : []), hiddenField]
  }
}

export const importAll = async (functions: Iterable<BfclFunction>): Promise<Imported> => {
  const unique = new Map(Array.from(functions, (each) => [keyOf(each), each]))
  const compile = await Effect.runPromise(JsonSchema.compiler)
  const failures = new Map<string, string>()
  const shelves: Array<Map<string, { readonly key: string; readonly each: BfclFunction }>> = []
  for (const [key, each] of unique) {
    const single = await Effect.runPromise(Effect.either(compile(inputSchema(each))))
    if (Either.isLeft(single)) {
      failures.set(key, single.left.message)
      continue
    }
    const shelf = shelves.find((other) => !other.has(each.name)) ?? shelves[shelves.push(new Map()) - 1]
    shelf?.set(each.name, { key, each })
  }
  const tools = new Map<string, Tool>()
  for (const shelf of shelves) {
    const all = [...shelf.values()]
    const toolset = await dynamic(all.map(({ each }) => ({ each, schema: inputSchema(each), hidden: [] })))
    const hiding = await dynamic(
      all.map(({ each }) => ({ each, schema: withHidden(inputSchema(each)), hidden: [hiddenField] }))
    )
    const runner = await Effect.runPromise(ToolRunner.make(toolset))
    const strictRunner = await Effect.runPromise(ToolRunner.make(toolset, { unknownArguments: "reject" }))
    const hidingRunner = await Effect.runPromise(ToolRunner.make(hiding))
    const definitions = new Map((await Effect.runPromise(runner.definitions)).map((made) => [made.name, made]))
    const hidingDefinitions = new Map(
      (await Effect.runPromise(hidingRunner.definitions)).map((made) => [made.name, made])
    )
    for (const { key, each } of all) {
      const definition = definitions.get(each.name)
      const hidingDefinition = hidingDefinitions.get(each.name)
      if (definition === undefined || hidingDefinition === undefined) continue
      tools.set(key, {
        definition,
        validator: await Effect.runPromise(compile(inputSchema(each), { formats: "assertion" })),
        run: (call) => Effect.runPromise(runner.run(call)),
        runStrictly: (call) => Effect.runPromise(strictRunner.run(call)),
        hiding: {
          definition: hidingDefinition,
          run: (call) => Effect.runPromise(CallContext.provide(hidingRunner.run(call), { [hiddenField]: hiddenValue }))
        }
      })
    }
  }
  return { tools, failures }
}

const dynamic = (
  tools: ReadonlyArray<{
    readonly each: BfclFunction
    readonly schema: Json.JsonSchema
    readonly hidden: ReadonlyArray<string>
  }>
) =>
  Effect.runPromise(
    Toolset.dynamic(
      tools.map(({ each, hidden, schema }) => ({
        name: each.name,
        description: each.description,
        inputSchema: schema,
        hidden,
        execute: Effect.succeed
      }))
    )
  )
