/** What a dialect cannot state is told to the model in the description. */
import type { Fields } from "../internal/wireField.js"

export const tell = (schema: Fields, told: Fields): Fields => {
  if (Object.keys(told).length === 0) return schema
  const { description } = schema
  const text = JSON.stringify(told)
  return { ...schema, description: typeof description === "string" ? `${description}\n${text}` : text }
}
