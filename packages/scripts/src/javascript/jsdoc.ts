/** What the documentation comment of a declaration says. */
import type ts from "typescript"
import type { Reading, TypeScript } from "./reading.js"

/** A `@param` or `@property`. */
export interface DocumentedValue {
  readonly name: string
  readonly type: ts.TypeNode | undefined
  readonly description: string
  /** `[name]`, `name?`. */
  readonly isOptional: boolean
  /** The text of a default: `[name=5]`. */
  readonly default: string | undefined
  /** `@param {Object[]} list` with `list[].x` below it. */
  readonly isArray: boolean
  /** `data.x` of `data`. */
  readonly properties: ReadonlyArray<DocumentedValue>
  readonly node: ts.Node
}

export interface Documentation {
  /** The text before the first tag, or else that of `@description`. */
  readonly description: string
  readonly parameters: ReadonlyArray<DocumentedValue>
  /** All other tags, in their order. */
  readonly tags: ReadonlyArray<{ readonly name: string; readonly text: string; readonly node: ts.Node }>
}

const none: Documentation = { description: "", parameters: [], tags: [] }

/** The comment that is attached to a node: the last one before it. */
export const documentationOf = ({ sourceFile, typescript }: Reading, node: ts.Node): Documentation => {
  const comment = node.getChildren(sourceFile).filter(typescript.isJSDoc).at(-1) ?? onSameLine(typescript, node)
  if (comment === undefined) return none
  const all: ReadonlyArray<ts.JSDocTag> = comment.tags ?? []
  const tags = all
    .filter((tag) => !typescript.isJSDocParameterTag(tag))
    .map((tag) => ({ name: tag.tagName.text, text: textOf(typescript, tag.comment), node: tag }))
  return {
    description:
      textOf(typescript, comment.comment) ||
      (tags.find(({ name, text }) => name === "description" && text !== "")?.text ?? ""),
    parameters: documentedValues(typescript, sourceFile, all.filter(typescript.isJSDocParameterTag)),
    tags
  }
}

// `{ /** The city. */ city: string }`: what stands on the line of the bracket or
// comma before it is the member's to people, and the bracket's to the parser. Read
// in a file that is blank before it, the comment keeps its place.
const onSameLine = (typescript: TypeScript, node: ts.Node): ts.JSDoc | undefined => {
  if (!typescript.isPropertySignature(node)) return undefined
  const { text } = node.getSourceFile()
  const range = typescript.getTrailingCommentRanges(text, node.pos)?.at(-1)
  if (range === undefined || !text.startsWith("/**", range.pos)) return undefined
  const blank = text.slice(0, range.pos).replace(/[^\r\n\u2028\u2029]/g, " ")
  const alone = `${blank}${text.slice(range.pos, range.end)}\nlet member`
  const file = typescript.createSourceFile("comment.ts", alone, typescript.ScriptTarget.Latest, true)
  return file.statements[0]?.getChildren(file).find(typescript.isJSDoc)
}

/** The texts of `@param` and `@property` tags, those of `data.x` below that of `data`. */
export const documentedValues = (
  typescript: TypeScript,
  sourceFile: ts.SourceFile,
  tags: ReadonlyArray<ts.JSDocPropertyLikeTag>
): ReadonlyArray<DocumentedValue> => nest(tags.flatMap((tag) => flatten(typescript, sourceFile, tag)))

type Flat = DocumentedValue & { readonly path: ReadonlyArray<string> }

const flatten = (
  typescript: TypeScript,
  sourceFile: ts.SourceFile,
  tag: ts.JSDocPropertyLikeTag
): ReadonlyArray<Flat> => {
  const path = entityPath(typescript, tag.name)
  const written = tag.typeExpression?.type
  const bracket = tag.isBracketed ? bracketOf(sourceFile.text, tag) : undefined
  const comment = bracket?.comment ?? textOf(typescript, tag.comment)
  // `@param name? - text`, as Loki reads it.
  const isMarked = comment.startsWith("?")
  const own: Flat = {
    path,
    name: path.at(-1) ?? "",
    type: written,
    description: withoutDash(isMarked ? comment.slice(1) : comment),
    isOptional: tag.isBracketed || isMarked,
    default: bracket?.default,
    isArray: written !== undefined && typescript.isJSDocTypeLiteral(written) && written.isArrayType,
    properties: [],
    node: tag
  }
  return written !== undefined && typescript.isJSDocTypeLiteral(written)
    ? [
        { ...own, type: undefined },
        ...(written.jsDocPropertyTags ?? []).flatMap((inner) => flatten(typescript, sourceFile, inner))
      ]
    : [own]
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
    const unsaid: Flat = {
      path: value.path.slice(0, depth),
      name,
      type: undefined,
      description: "",
      isOptional: false,
      default: undefined,
      isArray: false,
      properties: [],
      node: value.node
    }
    return [unsaid, value]
  })
}

const entityPath = (typescript: TypeScript, name: ts.EntityName): ReadonlyArray<string> =>
  typescript.isIdentifier(name) ? [name.text] : [...entityPath(typescript, name.left), name.right.text]

/** The default in `[name=default]`, and the text after it: the parser cuts `[greeting=hello world]` at the space. */
const bracketOf = (
  text: string,
  tag: ts.JSDocPropertyLikeTag
): { readonly default: string; readonly comment: string } | undefined => {
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
const endOfTag = (text: string, tag: ts.JSDocPropertyLikeTag): number => {
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

const textOf = (typescript: TypeScript, comment: ts.JSDoc["comment"]): string =>
  (typescript.getTextOfJSDocComment(comment) ?? "").replace(/\r\n?/g, "\n").trim()

const withoutDash = (text: string): string => text.replace(/^\s*[-–—:](?=\s|$)/, "").trim()

/** The text of a tag such as `@typedef`. */
export const textOfTag = (typescript: TypeScript, { comment }: ts.JSDocTag): string =>
  withoutDash(textOf(typescript, comment))
