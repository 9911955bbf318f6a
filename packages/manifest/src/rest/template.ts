/** Texts with `{parameter}`s, and the path of an entry with its query. */

export type Piece =
  | { readonly _tag: "Literal"; readonly text: string }
  /** `offset`: of the brace in the text of the entry. */
  | { readonly _tag: "Placeholder"; readonly name: string; readonly offset: number }

export type Template = ReadonlyArray<Piece>

export const template = (text: string, offset = 0): Template => {
  const pieces: Array<Piece> = []
  let end = 0
  for (const match of text.matchAll(/\{([^{}]*)\}/g)) {
    if (match.index > end) pieces.push({ _tag: "Literal", text: text.slice(end, match.index) })
    pieces.push({ _tag: "Placeholder", name: match[1] ?? "", offset: offset + match.index })
    end = match.index + match[0].length
  }
  if (end < text.length) pieces.push({ _tag: "Literal", text: text.slice(end) })
  return pieces
}

export const placeholdersOf = (pieces: Template): ReadonlyArray<{ readonly name: string; readonly offset: number }> =>
  pieces.filter((piece) => piece._tag === "Placeholder")

export interface Pair {
  readonly name: string
  readonly value: Template
}

export const pathTemplate = (path: string) => {
  const [whole = ""] = path.split("#", 1)
  const question = whole.indexOf("?")
  const beforeQuery = question < 0 ? whole : whole.slice(0, question)
  const fixed: Array<string> = []
  const pairs: Array<Pair> = []
  let offset = question + 1
  for (const text of question < 0 ? [] : whole.slice(question + 1).split("&")) {
    const equals = text.indexOf("=")
    const value = template(text.slice(equals + 1), offset + equals + 1)
    if (equals >= 0 && placeholdersOf(value).length > 0) pairs.push({ name: text.slice(0, equals), value })
    else if (text !== "") fixed.push(text)
    offset += text.length + 1
  }
  return { segments: segmentsOf(beforeQuery), fixed, pairs }
}

const segmentsOf = (path: string): ReadonlyArray<Template> => {
  const isRooted = path.startsWith("/")
  let offset = isRooted ? 1 : 0
  return path === ""
    ? []
    : path
        .slice(offset)
        .split("/")
        .map((segment) => {
          const pieces = template(segment, offset)
          offset += segment.length + 1
          return pieces
        })
}
