/** The task's schemas as JSON Schema. */
import { statuses } from "./orders.js"

export const parameters = {
  type: "object",
  properties: {
    customer: { type: "string" },
    status: { type: "string", enum: [...statuses] },
    limit: { type: "integer", minimum: 1, maximum: 100 },
    minimum: { type: "number" },
    items: {
      type: "array",
      items: {
        type: "object",
        properties: { sku: { type: "string" }, quantity: { type: "integer" }, note: { type: "string" } },
        required: ["sku", "quantity"],
        additionalProperties: false
      }
    },
    includeArchived: { type: "boolean", default: false }
  },
  required: ["customer", "status", "minimum", "items"],
  additionalProperties: false
} as const

export const result = {
  type: "object",
  properties: {
    status: { type: "string" },
    count: { type: "integer" },
    total: { type: "number" },
    tags: { type: "array", items: { type: "string" } }
  },
  required: ["status", "count", "total", "tags"],
  additionalProperties: false
} as const
