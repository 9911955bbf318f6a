/**
 * Repairs of argument text that is not JSON but can mean only one thing: empty
 * text, a Markdown code fence around it, commas after the last value before a
 * closing bracket, tokens of the model's template behind it.
 *
 * Each repair reads the text once, from left to right: broken text is often
 * long (an answer that was cut off, line breaks without end), and a regular
 * expression that tries again from each quote takes minutes for it.
 */
import type { Repair } from "../Note.js"
import { jsonValue, NotJson } from "./json.js"

export const repair = (
  text: string
): { readonly value: unknown; readonly repairs: ReadonlyArray<Repair> } | undefined => {
  const repairs: Array<Repair> = []
  let current = withoutTokens(text.trim())
  if (current !== text.trim()) repairs.push("special-token")
  const fenced = withoutFence(current)
  if (fenced !== undefined) {
    current = fenced
    repairs.push("code-fence")
  }
  if (current === "") return { value: {}, repairs: [...repairs, "empty-text"] }
  const withoutCommas = withoutTrailingCommas(current)
  if (withoutCommas !== current) repairs.push("trailing-comma")
  if (repairs.length === 0) return undefined
  // The parser is the judge of whether the repair made it JSON.
  const value = jsonValue(withoutCommas)
  return value instanceof NotJson ? undefined : { value, repairs }
}

/**
 * Without the tokens that end a call or a turn in a model's template, which some servers leave behind the arguments:
 * `<|im_end|>`, `<｜tool▁call▁end｜>`, `</tool_call>`, `[/TOOL_CALLS]`, `</s>`.
 */
export const withoutTokens = (text: string): string => {
  let current = text.trimEnd()
  for (;;) {
    const start = tokenStart(current)
    if (start === undefined) return current
    current = current.slice(0, start).trimEnd()
  }
}

/** Where a token begins that ends the text. No token is longer than 64 characters. */
const tokenStart = (text: string): number | undefined => {
  const tail = text.slice(-64)
  const found = /(?:<[|｜][^<>{}"\s]*[|｜]>|<\/[A-Za-z_|:-]+>|<(?:eos|end_of_turn)>|\[\/[A-Z_]+\])$/.exec(tail)
  return found === null ? undefined : text.length - tail.length + found.index
}

const fence = "```"

/** What stands between a fence with or without a language, and the fence at the end. */
const withoutFence = (text: string): string | undefined => {
  if (!text.startsWith(fence) || !text.endsWith(fence) || text.length < 2 * fence.length) return undefined
  const inside = text.slice(fence.length, -fence.length)
  const language = /^[a-zA-Z]*/.exec(inside)?.[0].length ?? 0
  return inside.slice(language).trim()
}

/** Without the commas that stand, outside of strings, between a value and a closing bracket. */
const withoutTrailingCommas = (text: string): string => {
  const pieces: Array<string> = []
  let copied = 0
  let isInString = false
  /** The last character outside of strings that is not white space, and the one before a comma. */
  let last = ""
  let beforeComma = ""
  let comma = -1
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (isInString) {
      if (character === "\\") index++
      else if (character === '"') isInString = false
      continue
    }
    if (character === " " || character === "\n" || character === "\r" || character === "\t") continue
    if (character === ",") {
      beforeComma = last
      comma = index
    } else if ((character === "}" || character === "]") && last === "," && isValueEnd(beforeComma)) {
      pieces.push(text.slice(copied, comma))
      copied = comma + 1
    }
    isInString = character === '"'
    last = character
  }
  return pieces.length === 0 ? text : pieces.join("") + text.slice(copied)
}

/** `[,]` and `[1,,]` may lack a value; it is unknown which. */
const isValueEnd = (character: string): boolean => character !== "" && !"[{,:".includes(character)
