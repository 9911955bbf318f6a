/** What Amazon Bedrock's Converse API calls things. */
import type { NameRule } from "../internal/nameMap.js"

export const formatName = "bedrock-converse"

/** The API's model of `toolSpec.name` and of `toolUse.name`. */
export const nameRule: NameRule = { pattern: /^[a-zA-Z0-9_-]{1,64}$/, maxLength: 64 }

/** The API's model of `toolUseId`. Kimi's ids are such as `functions.now:0`. */
export const idRule: NameRule = { pattern: /^[a-zA-Z0-9_.:-]{1,64}$/, maxLength: 64 }
