import type { Json } from "@wield/core"

/** What is said where a type is used comes before what the type says of itself. */
export const describe = (schema: Json.JsonSchema, text: string | undefined): Json.JsonSchema => {
  const own = schema["description"]
  if (text === undefined || text === "") return schema
  if (typeof own !== "string" || own === text) return { ...schema, description: text }
  // One sentence after another; what has several lines keeps them.
  const sentence = /[.!?:;…]$/.test(text) ? text : `${text}.`
  return { ...schema, description: `${sentence}${own.includes("\n") ? "\n" : " "}${own}` }
}
