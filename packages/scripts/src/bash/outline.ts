/** A script as its comment tags divide it: what belongs to the script itself and what to each of its commands. */
import * as Either from "effect/Either"
import type { Place } from "@wield/core/Problem"
import { Report } from "../folder/problem.js"
import { placeOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import type { Tag, VariableTag } from "./Tag.js"
import * as NearestNames from "@wield/core/NearestNames"
import { readArgument, readFlag, readOption } from "./parameterTag.js"
import { scan, type Malformed, type Scanner } from "./scanner.js"
import { readValueSyntax } from "./valueSyntax.js"

/** The tags from one `@cmd` to its function, or those outside of any. */
export interface Section {
  /** The function below; absent for the script itself, and where none follows. */
  functionName: string | undefined
  readonly tags: Array<Tag>
  readonly report: Report
  readonly place: Place
}

export interface Outline {
  readonly root: Section
  readonly commands: ReadonlyArray<Section>
  /** Names of all functions of the script. */
  readonly functions: ReadonlySet<string>
}

export const outline = (root: Node, file: string): Outline => {
  const sectionAt = (place: Place): Section => ({ functionName: undefined, tags: [], report: new Report(file), place })
  const script = sectionAt({ line: 1, column: 1 })
  const commands: Array<Section> = []
  const functions = new Set<string>()
  const aliases = new Set<string>()
  let current = script
  const statements = statementsOf(root)
  for (const [index, node] of statements.entries()) {
    if (node.type === "function_definition") {
      const name = node.childForFieldName("name")?.text ?? ""
      const again = commands.find(({ functionName }) => functionName === name)
      if (again !== undefined && current === script) {
        const message = `The command ${name} is defined again here, and this is the definition that would run; rename one of both`
        again.report.error("duplicate-function", message, { place: placeOf(node), subject: name })
      }
      functions.add(name)
      if (current !== script) {
        current.functionName = name
        current = script
      }
      continue
    }
    if (!isTagLine(node)) continue
    const { column, line } = placeOf(node)
    const placeAt = (at: number) => ({ line, column: column + at })
    const place = placeAt(node.text.search(/@/))
    const [start = "", name = ""] = tagStart.exec(node.text) ?? []
    if (!isTagName(name)) {
      current.report.warning("unknown-tag", unknown(name), { place, subject: current.functionName })
      continue
    }
    const read = readTag(name, scan(node.text, start.length), place)
    if (Either.isLeft(read)) {
      const { at, message } = read.left
      current.report.error("malformed-tag", message, { place: placeAt(at), subject: current.functionName })
      continue
    }
    const tag = read.right
    if (tag.tag === "cmd") {
      current = sectionAt(place)
      commands.push(current)
    } else if (current === script && functions.size > 0) {
      current.report.error("misplaced-tag", misplaced(tag.tag), { place })
      continue
    }
    for (const alias of tag.tag === "alias" ? tag.names : []) {
      if (aliases.has(alias)) {
        const message = `${alias} is an alias before, so argc refuses the script`
        current.report.warning("duplicate-alias", message, { place, subject: current.functionName })
      }
      aliases.add(alias)
    }
    current.tags.push(withLines(tag, linesAfter(statements, index)))
  }
  return { root: script, commands, functions }
}

const misplaced = (tag: string): string =>
  `@${tag} stands below a function, where it belongs to nothing: put it above the first function, or below a @cmd`

const unknown = (name: string): string => {
  const nearest = NearestNames.nearest(name, tagNames, 2)
  const advice = nearest === undefined ? "write \\@ where a comment begins with an @" : `did you mean @${nearest}?`
  return `There is no tag @${name}, so it is ignored; ${advice}`
}

/** Statements and comments of the script itself, in order; what the parser did not understand is looked into. */
const statementsOf = (node: Node): ReadonlyArray<Node> =>
  node.namedChildren.flatMap((child) => (child === null ? [] : child.isError ? statementsOf(child) : [child]))

const isComment = (node: Node): boolean =>
  node.type === "comment" && node.previousSibling?.endPosition.row !== node.startPosition.row

const isTagLine = (node: Node): boolean => isComment(node) && isTag(node.text)

/** The lines of a description go on in the comments below, up to the next tag. */
const linesAfter = (statements: ReadonlyArray<Node>, from: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let row = statements[from]?.startPosition.row ?? 0
  for (const node of statements.slice(from + 1)) {
    row++
    if (!isComment(node) || node.startPosition.row !== row || isTag(node.text)) break
    // What is said to a linter is no description.
    if (/^#+\s*shellcheck\s+\w+=/.test(node.text)) continue
    lines.push(node.text.replace(/^#+ ?/, "").trimEnd())
  }
  return lines
}

const withLines = (tag: Tag, lines: ReadonlyArray<string>): Tag => {
  switch (tag.tag) {
    case "describe":
    case "cmd":
      return { ...tag, text: joined(tag.text, lines) }
    case "option":
    case "flag":
    case "arg":
    case "env":
      return { ...tag, description: joined(tag.description, lines) }
    default:
      return tag
  }
}

const joined = (first: string, lines: ReadonlyArray<string>): string =>
  [first, ...lines].join("\n").replaceAll("\\@", "@").trim()

const tagStart = /^#+\s*@([A-Za-z][\w-]*)(?![\w-])/

const isTag = (comment: string): boolean => tagStart.test(comment)

const tagNames = "describe cmd option flag arg env meta alias version author help".split(" ")

/** Those are the names of all tags. */
const isTagName = (name: string): name is Tag["tag"] => tagNames.includes(name)

/** Reads what stands behind the name of a tag that begins at `place`; a failure has its place in the comment. */
const readTag = (name: Tag["tag"], scanner: Scanner, place: Place): Either.Either<Tag, Malformed> => {
  switch (name) {
    case "describe":
    case "cmd":
      return Either.right({ tag: name, text: scanner.rest().trim(), place })
    case "option":
      return Either.map(afterSpace(scanner, readOption), (tag) => ({ ...tag, place }))
    case "flag":
      return Either.map(afterSpace(scanner, readFlag), (tag) => ({ ...tag, place }))
    case "arg":
      return Either.map(afterSpace(scanner, readArgument), (tag) => ({ ...tag, place }))
    case "env":
      return Either.map(afterSpace(scanner, readVariable), (tag) => ({ ...tag, place }))
    case "meta":
      return Either.map(
        afterSpace(scanner, (inner) =>
          inner.expect(/([\w-]+)\s*(.*)/y, "a name, as in `# @meta require-tools jq,curl`")
        ),
        ([, meta = "", value = ""]) => ({ tag: name, name: meta, value: value.trim(), place })
      )
    case "alias":
      return Either.map(
        afterSpace(scanner, (inner) => inner.expect(/[\w-]+(?:\s*,\s*[\w-]+)*\s*$/y, "names separated by commas")),
        ([names]) => ({ tag: name, names: names.trim().split(/\s*,\s*/), place })
      )
    case "version":
    case "author":
    case "help":
      return Either.right({ tag: name, place })
  }
}

const afterSpace = <A>(
  scanner: Scanner,
  read: (scanner: Scanner) => Either.Either<A, Malformed>
): Either.Either<A, Malformed> => {
  scanner.take(/\s+/y)
  return read(scanner)
}

/** `NAME[!][default or choices] [<NOTATION>] description` */
const readVariable = (scanner: Scanner): Either.Either<Omit<VariableTag, "place">, Malformed> =>
  Either.gen(function* () {
    const [name] = yield* scanner.expect(/[A-Za-z_]\w*/y, "a variable's name, as in `# @env API_KEY! The key`")
    const isRequired = scanner.take(/!/y) !== undefined
    const value = yield* readValueSyntax(scanner)
    yield* scanner.expect(/(?=\s|<|$)/y, "a space here")
    scanner.take(/\s*<[^<>]*>/y)
    return { tag: "env", name, isRequired, ...value, description: scanner.rest().trim() }
  })
