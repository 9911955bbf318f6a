/** Arguments as the JSON text that OpenAI's APIs have in their messages. */
export const argumentText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "{}")
