/** The task's schemas as Effect Schema, and the tool made of them. */
import * as Tool from "@effect/ai/Tool"
import * as Schema from "effect/Schema"
import { description, statuses, toolName } from "./orders.js"

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

/** The same fields under another name. */
export const numbered = (index: number) =>
  Tool.make(`${toolName}_${index}`, {
    description: `${description} Shop ${index}.`,
    parameters: fields,
    success: result
  })
