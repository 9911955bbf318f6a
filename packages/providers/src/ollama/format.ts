/** Ollama's chat API: its names, limits and tables. */
import type { Endpoint } from "../internal/contract.js"
import { type FormatTable } from "../internal/format.js"
import type { NameRule } from "../NameMap.js"
import { failIn } from "../internal/wireField.js"

export const formatName = "ollama"

/** Ollama takes any name; what the model's template makes of it is the model's matter. */
export const nameRule: NameRule = { pattern: /^[^]+$/, maxLength: 1024 }

const endpoint: Endpoint = {
  // By number: where `localhost` is ::1 first, Ollama does not listen.
  url: "http://127.0.0.1:11434",
  // Only ollama.com and proxies ask for one.
  key: { header: "authorization", prefix: "Bearer ", variable: "OLLAMA_API_KEY" },
  headers: {},
  path: () => "/api/chat",
  // Ollama streams by default.
  body: (model, isStreaming) => ({ model, stream: isStreaming })
}

export const table: FormatTable = {
  name: formatName,
  title: "Ollama",
  api: "Ollama",
  historyKey: "messages",
  endpoint,
  nameRule,
  // Ollama says `stop` after calls too; its first versions gave no reason.
  finish: { stop: "stop", tool_calls: "calls", length: "length" },
  // Ollama leaves out a count of zero, such as that of a prompt that it still has evaluated.
  usage: { input: ["prompt_eval_count"], output: ["eval_count"] },
  choice: { key: "tools", hasParallel: false },
  results: { images: "follow", files: "left out", hasErrorFlag: false },
  takesEmptyTurn: true,
  errors: {
    codes: {},
    hasWordsOnly: true,
    // Ollama cuts a long conversation by itself; its runners say this where they cannot.
    wordings: [
      {
        pattern: /exceeds? (the )?(maximum |available )?context (length|size|window)|prompt (is )?too long/i,
        among: ["request", "unavailable"],
        kind: "overflow"
      }
    ]
  }
}

export const fail = failIn(formatName)
