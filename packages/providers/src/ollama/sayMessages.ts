/**
 * Ollama's chat API: turns and results of another format as messages.
 */
import type { Json, Loss, Outcome, ToolResult, Turn } from "@wield/core"
import { argumentObject } from "../internal/argumentObject.js"
import type { NamedCall, NamedCalls } from "../internal/namedCalls.js"
import { resultText } from "../openai/resultText.js"

/** `undefined` where nothing is left to say. */
export const sayParts = (
  parts: ReadonlyArray<Turn.Part>,
  context: {
    readonly subject: string
    readonly toNative: (name: string) => string
    readonly calls: NamedCalls
    readonly losses: Array<Loss.Loss>
  }
): Json.JsonObject | undefined => {
  const texts: Array<string> = []
  const calls: Array<Json.JsonObject> = []
  for (const [index, part] of parts.entries()) {
    const lose = (keyword: string, reason: string): void =>
      void context.losses.push({ subject: context.subject, path: [index], keyword, reason })
    if (part._tag === "Reasoning") lose("reasoning", "The reasoning of a model is left to the API that it came from.")
    else if (part._tag !== "Call") texts.push(part.text)
    else if (part.executedBy === "provider") {
      lose("call", `Another API ran ${part.call.name} itself; this one could not pair the call with its result.`)
    } else {
      const args = argumentObject(part.call.arguments)
      if (args === undefined) lose("arguments", `The arguments of ${part.call.name} are no JSON object; {} is sent.`)
      const { name, nativeId } = context.calls.say(part, context.toNative(part.call.name))
      calls.push({
        // Where the API that made the call had ids; Ollama before 0.12 reads past it.
        ...(nativeId === undefined ? {} : { id: nativeId }),
        type: "function",
        function: { name, arguments: args ?? {} }
      })
    }
  }
  const content = texts.join("")
  if (content === "" && calls.length === 0) return undefined
  return { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }
}

/** A result names its tool; results of one turn are read in the order of its calls. */
export const sayResult = (
  call: NamedCall,
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
