import type { Json } from "@wield/core"

/** What is said where a type is used comes before what the type says of itself. */
export const describedBy = (schema: Json.JsonSchema, text: string | undefined): Json.JsonSchema => {
  const own = schema["description"]
  if (text === undefined || text === "") return schema
  return { ...schema, description: typeof own === "string" && own !== text ? `${text}\n${own}` : text }
}
