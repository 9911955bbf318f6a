/** The task's schemas in Zod 4. */
import { z } from "zod"
import { statuses } from "./orders.js"

export const parameters = z.object({
  customer: z.string(),
  status: z.enum(statuses),
  limit: z.int().min(1).max(100).optional(),
  minimum: z.number(),
  items: z.array(z.object({ sku: z.string(), quantity: z.int(), note: z.string().optional() })),
  includeArchived: z.boolean().default(false)
})

export const result = z.object({
  status: z.string(),
  count: z.int(),
  total: z.number(),
  tags: z.array(z.string())
})
