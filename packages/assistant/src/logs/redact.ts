/** The texts of one log entry with the secrets in them replaced. */
import * as Secret from "@wield/core/Secret"
import * as Redacted from "effect/Redacted"
import { blocksIn, expectsSecret, literalsIn, matchesIn, type Range, secretsIn } from "./ranges.js"
import type { Piece } from "./line.js"

export type Secrets = ReturnType<typeof makeSecrets>

export const makeSecrets = (literals: ReadonlyArray<Redacted.Redacted>, patterns: ReadonlyArray<RegExp>) => ({
  literals: Secret.spellingsOf(literals.map(Redacted.value)),
  patterns: patterns.map(
    ({ flags, source }) => new RegExp(source, [...new Set(`${flags.replace("y", "")}dg`)].join(""))
  )
})

/** Characters of one text that are looked at; none behind them are kept. */
const longest = 16_384

/** At the end of a text that was cut, a secret may have lost what it is known by. */
const margin = 1024

export const redact = (pieces: ReadonlyArray<Piece>, { literals, patterns }: Secrets): ReadonlyArray<string> => {
  const texts = pieces.map(({ text }) => text.slice(0, longest))
  const ranges = texts.map((text): Array<Range> => [
    ...secretsIn(text),
    ...blocksIn(text),
    ...patterns.flatMap((pattern) => matchesIn(text, pattern)),
    ...literals.flatMap((literal) => literalsIn(text, literal))
  ])
  acrossPieces(pieces, texts, literals, ranges)
  let isExpected = false
  return pieces.map(({ isName, isSecret, text: whole }, index) => {
    const text = texts[index] ?? ""
    const isReplaced = isSecret || (isExpected && !isName)
    if (!isName) isExpected = expectsSecret(text)
    if (isReplaced) return text === "" ? "" : Secret.placeholder
    const replaced = replace(text, ranges[index] ?? [])
    if (whole.length <= longest) return replaced
    const cut = Math.max(margin, ...literals.map(({ length }) => length))
    return `${replace(text.slice(0, Math.max(0, longest - cut)), ranges[index] ?? [])}…`
  })
}

/** What begins in one piece and ends in another: a secret of the application's, or a private key. */
const acrossPieces = (
  pieces: ReadonlyArray<Piece>,
  texts: ReadonlyArray<string>,
  literals: ReadonlyArray<string>,
  ranges: ReadonlyArray<Array<Range>>
) => {
  const joined = pieces.flatMap(({ isName }, index) => (isName ? [] : [index]))
  const text = joined.map((index) => texts[index]).join("")
  const found = [...blocksIn(text), ...literals.flatMap((literal) => literalsIn(text, literal))]
  for (const [from, to] of found) {
    let start = 0
    for (const index of joined) {
      const end = start + (texts[index] ?? "").length
      if (from < end && to > start) ranges[index]?.push([Math.max(from, start) - start, Math.min(to, end) - start])
      start = end
    }
  }
}

const replace = (text: string, ranges: ReadonlyArray<Range>): string => {
  let written = ""
  let reached = 0
  for (const [from, to] of [...ranges].sort(([left], [right]) => left - right)) {
    if (to <= reached || from >= text.length) continue
    // What touches or overlaps is replaced as one.
    if (from > reached || reached === 0) written += text.slice(reached, from) + Secret.placeholder
    reached = Math.max(reached, to)
  }
  return written + text.slice(reached)
}
