/**
 * Where secrets stand in a text. Everything here takes time in proportion to the
 * text, since anybody may have written what an application logs.
 */
import { extentOf, indentOf } from "./extent.js"
import { forms, privateKey } from "./forms.js"
import { isHeaderName, isSecretName } from "./names.js"

/** From the first character to the one behind the last. */
export type Range = readonly [from: number, to: number]

/** What a name or a form gives away in one text. */
export const secretsIn = (text: string): ReadonlyArray<Range> => [...plainIn(text), ...encodedIn(text)]

const plainIn = (text: string): ReadonlyArray<Range> => [
  ...namedIn(text),
  ...formValuesIn(text),
  ...userInfosIn(text),
  ...forms.flatMap((form) => matchesIn(text, form))
]

/** Base64, of either alphabet, of a text that has a secret, or of `user:password`. */
const encodedIn = (text: string): ReadonlyArray<Range> =>
  [...text.matchAll(/[A-Za-z0-9+/_-]{12,}={0,2}/g)].flatMap(({ index, 0: run }): ReadonlyArray<Range> => {
    const decoded = Buffer.from(run, "base64").toString("latin1")
    // Words and hashes are Base64 too, but of no text.
    if (!/^[\t\n\r\x20-\x7e]+$/.test(decoded)) return []
    const isSecret = /^[^\s:]{1,64}:(?!\/\/)\S+$/.test(decoded) || plainIn(decoded).length > 0
    return isSecret ? [[index, index + run.length]] : []
  })

/** What may go over the pieces of a log entry. */
export const blocksIn = (text: string): ReadonlyArray<Range> =>
  // Most texts have none, and the search for one is the slowest.
  text.includes("-----BEGIN ") ? matchesIn(text, privateKey) : []

/** Every occurrence, also overlapping ones. */
export const literalsIn = (text: string, literal: string): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1)) {
    found.push([at, at + literal.length])
  }
  return found
}

/** What a pattern with the flags `dg` finds: its group `secret` where it has one, else all of it. */
export const matchesIn = (text: string, pattern: RegExp): ReadonlyArray<Range> =>
  [...text.matchAll(pattern)].flatMap(({ indices }): ReadonlyArray<Range> => {
    const range = indices?.groups?.["secret"] ?? indices?.[0]
    return range === undefined ? [] : [range]
  })

/**
 * Whether a text ends in a name whose value is missing, so that what is logged
 * next is the secret: `token`, `Authorization:`, `--password`, `… Bearer`, `sk-`.
 */
export const expectsSecret = (text: string): boolean => {
  const end = text.slice(-200)
  const [, name = "", separator = ""] = /([\w.$-]{1,64})\\?["'`]?\s{0,4}(=>|[:=]?)\s{0,4}$/.exec(end) ?? []
  if (/^(?:bearer|basic|(?:sk|pk|rk)[-_])$/i.test(name)) return true
  // One argument of a command after the other: `-u`, `user:password`.
  if (/^(?:-[uU]|--(?:proxy-)?user)$/.test(text)) return true
  return isSecretName(name) && (separator !== "" || name.startsWith("--") || text.trim() === name)
}

/** `name=value`, `name: value`, `"name": "value"`, `<name>value</name>` and `--name value`. */
const namedIn = (text: string): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  let reached = 0
  const add = (name: string, from: number) => {
    if (from < reached || !isSecretName(name)) return
    const rest = text.slice(from)
    const indent = indentOf(text.slice(Math.max(0, from - longestIndent), from))
    const end = extentOf(rest, indent, isHeaderName(name))
    const start = /^\s{0,4}\\{0,31}["'`]?/.exec(rest)?.[0].length ?? 0
    if (start < end) found.push([from + start, from + end])
    reached = from + end
  }
  for (const { index, 0: separator } of text.matchAll(/=>|[:=]/g)) {
    const name = /([\w.$-]{1,64})\\{0,31}["'`]?\s{0,4}$/.exec(text.slice(Math.max(0, index - 100), index))?.[1]
    if (name !== undefined) add(name, index + separator.length)
  }
  reached = 0
  for (const { index, 0: tag, 1: name = "" } of text.matchAll(/<([\w:.-]{1,64})(?:\s[^<>]{0,200})?>/g)) {
    const from = index + tag.length
    const end = /^[^<]*/.exec(text.slice(from))?.[0].length ?? 0
    if (end > 0 && isSecretName(name)) found.push([from, from + end])
  }
  for (const { index, 0: flag } of text.matchAll(/--[\w-]{1,64}(?=\s)/g)) add(flag, index + flag.length)
  return found
}

/** Characters of a line that are looked at for its indent. */
const longestIndent = 200

/** The parts of a form: behind the headers and an empty line, up to the next boundary. */
const formValuesIn = (text: string): ReadonlyArray<Range> =>
  [...text.matchAll(/form-data;[^\r\n]{0,200}?\bname=\\?"([^"\\]{1,64})\\?"/gi)].flatMap(
    ({ index, 0: head, 1: name = "" }): ReadonlyArray<Range> => {
      if (!isSecretName(name)) return []
      const rest = text.slice(index + head.length)
      const start = /\r?\n[ \t]*\r?\n[ \t]*|(?:(?:\\r)?\\n){2}/.exec(rest.slice(0, 1000))
      if (start === null) return []
      const from = start.index + start[0].length
      const length = rest.slice(from).search(/(?:\n[ \t]*|\\n)--/)
      return [[index + head.length + from, length === -1 ? text.length : index + head.length + from + length]]
    }
  )

/** `https://user:password@host`: all before the last `@`, for a password may have one itself. */
const userInfosIn = (text: string): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  let reached = 0
  for (const { index } of text.matchAll(/:\/\//g)) {
    if (index < reached) continue
    const from = index + 3
    const run = /^[^\s"'`<>]*/.exec(text.slice(from))?.[0] ?? ""
    reached = from + run.length
    const at = run.lastIndexOf("@")
    const before = run.slice(0, Math.max(at, 0))
    // Without a colon, or behind a port, what stands behind a slash is a path: `https://example.com/@name`.
    if (at > 0 && /^[^/]*$|:/.test(before) && !/^[^:/]+:\d{1,5}\//.test(before)) found.push([from, from + at])
  }
  return found
}
