/** What the documentation comment of a declaration says. */
import type TS from "typescript"
import { ts } from "./compiler.js"

/** A `@param` or `@property`. */
export interface DocumentedValue {
  readonly name: string
  readonly type: TS.TypeNode | undefined
  readonly description: string
  /** `[name]`, `name?`. */
  readonly isOptional: boolean
  /** The text of a default: `[name=5]`. */
  readonly default: string | undefined
  /** `@param {Object[]} list` with `list[].x` below it. */
  readonly isArray: boolean
  /** `data.x` of `data`. */
  readonly properties: ReadonlyArray<DocumentedValue>
  readonly node: TS.Node
}

export interface Documentation {
  /** The text before the first tag, or else that of `@description`. */
  readonly description: string
  readonly parameters: ReadonlyArray<DocumentedValue>
  /** All other tags, in their order. */
  readonly tags: ReadonlyArray<{ readonly name: string; readonly text: string; readonly node: TS.Node }>
}

const none: Documentation = { description: "", parameters: [], tags: [] }

/** The comment that is attached to a node: the last one before it. */
export const documentationOf = (node: TS.Node): Documentation => {
  const comment = node.getChildren().filter(ts.isJSDoc).at(-1) ?? onSameLine(node)
  if (comment === undefined) return none
  const all: ReadonlyArray<TS.JSDocTag> = comment.tags ?? []
  const tags = all
    .filter((tag) => !ts.isJSDocParameterTag(tag))
    .map((tag) => ({ name: tag.tagName.text, text: textOf(tag.comment), node: tag }))
  return {
    description:
      textOf(comment.comment) || (tags.find(({ name, text }) => name === "description" && text !== "")?.text ?? ""),
    parameters: documentedValues(all.filter(ts.isJSDocParameterTag)),
    tags
  }
}

// `{ /** The city. */ city: string }`: what stands on the line of the bracket or
// comma before it is the member's to people, and the bracket's to the parser. Read
// in a file that is blank before it, the comment keeps its place.
const onSameLine = (node: TS.Node): TS.JSDoc | undefined => {
  if (!ts.isPropertySignature(node)) return undefined
  const { text } = node.getSourceFile()
  const range = ts.getTrailingCommentRanges(text, node.pos)?.at(-1)
  if (range === undefined || !text.startsWith("/**", range.pos)) return undefined
  const blank = text.slice(0, range.pos).replace(/[^\r\n\u2028\u2029]/g, " ")
  const alone = `${blank}${text.slice(range.pos, range.end)}\nlet member`
  const file = ts.createSourceFile("comment.ts", alone, ts.ScriptTarget.Latest, true)
  return file.statements[0]?.getChildren(file).find(ts.isJSDoc)
}

/** The texts of `@param` and `@property` tags, those of `data.x` below that of `data`. */
export const documentedValues = (tags: ReadonlyArray<TS.JSDocPropertyLikeTag>): ReadonlyArray<DocumentedValue> =>
  nest(tags.flatMap(flatten))

type Flat = DocumentedValue & { readonly path: ReadonlyArray<string> }

/** A value of which nothing is said. */
const flat = (path: ReadonlyArray<string>, node: TS.Node): Flat => ({
  path,
  name: path.at(-1) ?? "",
  type: undefined,
  description: "",
  isOptional: false,
  default: undefined,
  isArray: false,
  properties: [],
  node
})

const flatten = (tag: TS.JSDocPropertyLikeTag): ReadonlyArray<Flat> => {
  const written = tag.typeExpression?.type
  const isLiteral = written !== undefined && ts.isJSDocTypeLiteral(written)
  const bracket = tag.isBracketed ? bracketOf(tag) : undefined
  const comment = bracket?.comment ?? textOf(tag.comment)
  // `@param name? - text`, as Loki reads it.
  const isMarked = comment.startsWith("?")
  const own: Flat = {
    ...flat(entityPath(tag.name), tag),
    type: isLiteral ? undefined : written,
    description: withoutDash(isMarked ? comment.slice(1) : comment),
    isOptional: tag.isBracketed || isMarked,
    default: bracket?.default,
    isArray: isLiteral && written.isArrayType
  }
  return isLiteral ? [own, ...(written.jsDocPropertyTags ?? []).flatMap(flatten)] : [own]
}

const nest = (values: ReadonlyArray<Flat>, depth = 1): ReadonlyArray<DocumentedValue> =>
  withUnsaid(values, depth)
    .filter(({ path }) => path.length === depth)
    .map(({ path, ...value }) => {
      const below = values.filter(
        (other) => other.path.length > depth && path.every((name, index) => other.path[index] === name)
      )
      return { ...value, properties: nest(below, depth + 1) }
    })

/** Those whose properties are described and they themselves are not: `data.x` without `data`. */
const withUnsaid = (values: ReadonlyArray<Flat>, depth: number): ReadonlyArray<Flat> => {
  const said = new Set(values.flatMap(({ name, path }) => (path.length === depth ? [name] : [])))
  return values.flatMap((value) => {
    const name = value.path[depth - 1]
    if (value.path.length <= depth || name === undefined || said.has(name)) return [value]
    said.add(name)
    return [flat(value.path.slice(0, depth), value.node), value]
  })
}

const entityPath = (name: TS.EntityName): ReadonlyArray<string> =>
  ts.isIdentifier(name) ? [name.text] : [...entityPath(name.left), name.right.text]

/** The default in `[name=default]`, and the text after it: the parser cuts `[greeting=hello world]` at the space. */
const bracketOf = (
  tag: TS.JSDocPropertyLikeTag
): { readonly default: string; readonly comment: string } | undefined => {
  const { text } = tag.getSourceFile()
  const equals = /^(?:\[\])?\s*=/.exec(text.slice(tag.name.end, tag.end))
  if (equals === null) return undefined
  const start = tag.name.end + equals[0].length
  const end = closingBracket(text, start, tag.end)
  return end === undefined
    ? undefined
    : { default: text.slice(start, end).trim(), comment: withoutStars(text.slice(end + 1, endOfTag(text, tag))) }
}

const closingBracket = (text: string, start: number, end: number): number | undefined => {
  let depth = 0
  let quote: string | undefined
  for (let index = start; index < end; index++) {
    const character = text.charAt(index)
    if (quote !== undefined) {
      if (character === "\\") index++
      else if (character === quote) quote = undefined
    } else if ((character === '"' || character === "'" || character === "`") && !isApostrophe(text, index)) {
      quote = character
    } else if ("[{(".includes(character)) depth++
    else if ("]})".includes(character) && depth-- === 0) return index
  }
  return undefined
}

/** In `[greeting=it's me]`. */
const isApostrophe = (text: string, index: number): boolean => /\w/.test(text.charAt(index - 1))

/** A tag ends where the next one begins, whatever the parser has made of its default. */
const endOfTag = (text: string, tag: TS.JSDocPropertyLikeTag): number => {
  const closed = text.indexOf("*/", tag.name.end)
  const next = /\n[ \t]*\*?[ \t]*@/.exec(text.slice(tag.name.end, closed))
  return next === null ? closed : tag.name.end + next.index
}

const withoutStars = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line, index) => (index === 0 ? line : line.replace(/^\s*\*?\s*/, "")))
    .join("\n")
    .trim()

const textOf = (comment: TS.JSDoc["comment"]): string =>
  (ts.getTextOfJSDocComment(comment) ?? "").replace(/\r\n?/g, "\n").trim()

const withoutDash = (text: string): string => text.replace(/^\s*[-–—:](?=\s|$)/, "").trim()

/** The text of a tag such as `@typedef`. */
export const textOfTag = ({ comment }: TS.JSDocTag): string => withoutDash(textOf(comment))
