/** The task's schemas as Effect Schema, and the tool made of them. */
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { description, type Result, statuses, toolName } from "./orders.js"

// Written inline, it does not type-check in `Tool.make` of @effect/ai 0.37.
const includeArchived = Schema.optionalWith(Schema.Boolean, { default: () => false })

const item = Schema.Struct({ sku: Schema.String, quantity: Schema.Int, note: Schema.optional(Schema.String) })

export const fields = {
  customer: Schema.String,
  status: Schema.Literal(...statuses),
  limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 100))),
  minimum: Schema.Number,
  items: Schema.Array(item),
  includeArchived
}

export const result = Schema.Struct({
  status: Schema.String,
  count: Schema.Int,
  total: Schema.Number,
  tags: Schema.Array(Schema.String)
})

export const FindOrders = Tool.make(toolName, { description, parameters: fields, success: result })

/** A toolkit of so many tools, each with its own name, description and schemas. */
export const kitOf = (count: number) => Toolkit.make(...Array.from({ length: count }, (_, index) => numbered(index)))

export const handlersOf = (count: number): { readonly [name: string]: () => Effect.Effect<Result> } =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      numberedName(index),
      () => Effect.succeed({ status: "paid", count: 1, total: 1, tags: [] })
    ])
  )

const numberedName = (index: number): string => `${toolName}_${index}`

const numbered = (index: number) =>
  Tool.make(numberedName(index), {
    description: `${description} Shop ${index}.`,
    parameters: {
      ...fields,
      status: Schema.Literal(...statuses, `shop_${index}`),
      items: Schema.Array(Schema.Struct({ ...item.fields }))
    },
    success: Schema.Struct({ ...result.fields })
  })
