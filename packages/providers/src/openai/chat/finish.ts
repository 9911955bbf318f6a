/**
 * Why a Chat Completions response ended, in one vocabulary.
 */
import type { Turn } from "@wield/core"

/** OpenAI's own words first, then those of servers that imitate it, in lower case. */
const words: ReadonlyMap<string, Turn.Finish> = new Map<string, Turn.Finish>([
  ["stop", "stop"],
  ["tool_calls", "calls"],
  ["function_call", "calls"],
  ["length", "length"],
  ["content_filter", "filter"],
  // Snowflake sends an empty word.
  ["", "stop"],
  // Together and Hugging Face.
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["stop_sequence", "stop"],
  // Words of the model behind a gateway that passes them on.
  ["end_turn", "stop"],
  ["tool_use", "calls"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["model_context_window_exceeded", "length"],
  ["safety", "filter"],
  // Zhipu.
  ["sensitive", "filter"],
  ["network_error", "error"],
  // DeepSeek, when it is overloaded.
  ["insufficient_system_resource", "error"],
  // OpenRouter, when the model's own provider failed.
  ["error", "error"]
])

/**
 * Whether calls wait for results is decided by the calls, not by the word:
 * OpenAI says `stop` when a named function was demanded and called, as do
 * Ollama and others after any call; and some say `tool_calls` of tools that
 * they ran themselves.
 */
export const finishOf = (native: string | undefined, hasCalls: boolean): Turn.Finish => {
  const finish = words.get((native ?? "").toLowerCase()) ?? "other"
  if (finish === "stop" || finish === "calls") return hasCalls ? "calls" : "stop"
  return finish
}
