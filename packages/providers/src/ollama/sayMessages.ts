/**
 * Ollama's chat API: turns and results of another format as messages.
 */
import type { Json, Loss, Outcome, ToolResult, Turn } from "@wield/core"
import { argumentObject } from "../internal/argumentObject.js"
import { resultText } from "../openai/resultText.js"

/** `undefined` where nothing is left to say. */
export const sayParts = (
  parts: ReadonlyArray<Turn.Part>,
  subject: string,
  toNative: (name: string) => string,
  losses: Array<Loss.Loss>
): Json.JsonObject | undefined => {
  const texts: Array<string> = []
  const calls: Array<Json.JsonObject> = []
  for (const [index, part] of parts.entries()) {
    const lose = (keyword: string, reason: string): void =>
      void losses.push({ subject, path: [index], keyword, reason })
    if (part._tag === "Reasoning") lose("reasoning", "The reasoning of a model is left to the API that it came from.")
    else if (part._tag !== "Call") texts.push(part.text)
    else if (part.executedBy === "provider") {
      lose("call", `Another API ran ${part.call.name} itself; this one could not pair the call with its result.`)
    } else {
      const args = argumentObject(part.call.arguments)
      if (args === undefined) lose("arguments", `The arguments of ${part.call.name} are no JSON object; {} is sent.`)
      calls.push({
        // Where the API that made the call had ids; Ollama before 0.12 reads past it.
        ...(part.nativeId === undefined ? {} : { id: part.call.id }),
        type: "function",
        function: { name: toNative(part.call.name), arguments: args ?? {} }
      })
    }
  }
  const content = texts.join("")
  if (content === "" && calls.length === 0) return undefined
  return { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }
}

/** A result names its tool; results of one turn are read in the order of its calls. */
export const sayResult = (
  call: { readonly name: string; readonly nativeId: string | undefined },
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult,
  losses: Array<Loss.Loss>
): Json.JsonObject => {
  for (const [index, part] of result.content.entries()) {
    if (part._tag !== "Image" && part._tag !== "File") continue
    const keyword = part._tag === "Image" ? "image" : "file"
    const reason = "A result of Ollama's API carries text only; the model reads that it was left out."
    losses.push({ subject: result.name, path: ["content", index], keyword, reason })
  }
  return {
    role: "tool",
    ...(call.name === "" ? {} : { tool_name: call.name }),
    ...(call.nativeId === undefined ? {} : { tool_call_id: call.nativeId }),
    content: resultText(outcome, result)
  }
}
