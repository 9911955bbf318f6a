/** JSON for a person: what fits on a line stands on one, and keys have a colour. */
import stringify from "json-stringify-pretty-compact"
import { colours, width } from "./style.js"

export const prettyJson = (value: unknown): string =>
  // Matching whole strings keeps what looks like a key inside of one from being taken for one.
  stringify(value, { maxLength: width }).replaceAll(/("(?:[^"\\]|\\.)*")(:?)/g, (_, text: string, colon: string) =>
    colon === "" ? text : `${colours.cyan(text)}:`
  )
