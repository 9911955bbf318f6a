/**
 * A recorded conversation that ends with the call of an output tool, as
 * Pydantic AI has them: an agent with a schema for its output ends the same way.
 */
import { Json, Turn } from "@wield/core"
import { Schema } from "effect"
import type { Conversation } from "./conversations.js"
import { parsed } from "./words.js"

export interface FinalOutput {
  readonly name: string
  readonly description: string | undefined
  readonly schema: Schema.Schema<unknown, unknown>
  /** What the model answers with. */
  readonly value: unknown
}

export const finalOutput = ({ steps }: Conversation): FinalOutput | undefined => {
  const made = steps.flatMap(({ turn }) => Turn.calls(turn)).filter(({ name }) => isOutputTool(name))
  const last = steps.at(-1)
  const [call, ...others] = last === undefined ? [] : Turn.calls(last.turn)
  const definition = last?.request.definitions.find(({ name }) => name === call?.name)
  if (call === undefined || others.length > 0 || made.length !== 1 || definition === undefined) return undefined
  if (!isOutputTool(call.name)) return undefined
  return {
    name: call.name,
    description: definition.description,
    schema: schemaOf(definition.inputSchema),
    value: parsed(call.arguments)
  }
}

export const isOutputTool = (name: unknown): boolean => typeof name === "string" && name.startsWith("final_result")

/** Of each property its JSON Schema is told, and any value is taken. */
const schemaOf = ({ properties, required }: Json.JsonSchema): Schema.Schema<unknown, unknown> => {
  const needed = Array.isArray(required) ? required : []
  const fields = Object.entries(Json.isObject(properties) ? properties : {}).map(([name, property]) => {
    const field = Schema.Unknown.annotations({ jsonSchema: Json.isObject(property) ? property : {} })
    return [name, needed.includes(name) ? field : Schema.optional(field)] as const
  })
  // What fields are there is known at run time only.
  return Schema.Struct(Object.fromEntries(fields)) as unknown as Schema.Schema<unknown, unknown>
}
