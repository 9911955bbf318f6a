/** What Ollama's chat API calls things. */
import type { NameRule } from "../internal/nameMap.js"

export const formatName = "ollama"

/** Ollama takes any name; what the model's template makes of it is the model's matter. */
export const nameRule: NameRule = { pattern: /^[^]+$/, maxLength: 1024 }
