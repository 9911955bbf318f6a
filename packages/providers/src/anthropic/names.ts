/** What Anthropic's Messages API calls things. */
import type { NameRule } from "../internal/nameMap.js"

export const formatName = "anthropic"

/** The API's own error message states this pattern; its guide still says 64 characters. */
export const nameRule: NameRule = { pattern: /^[a-zA-Z0-9_-]{1,128}$/, maxLength: 128 }

/** The API's own error message states this pattern, and no length. */
export const idRule: NameRule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 }
