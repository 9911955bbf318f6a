/** A script as its comment tags divide it: what belongs to the script itself and what to each of its commands. */
import * as Either from "effect/Either"
import type { Place, Problem } from "@wield/core/Problem"
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
  readonly functionName: string | undefined
  readonly tags: ReadonlyArray<Tag>
  readonly problems: ReadonlyArray<Problem>
  readonly place: Place
}

export interface Outline {
  readonly root: Section
  readonly commands: ReadonlyArray<Section>
  /** Names of all functions of the script. */
  readonly functions: ReadonlySet<string>
}

interface Draft {
  functionName: string | undefined
  readonly tags: Array<Tag>
  readonly problems: Array<Problem>
  readonly place: Place
}

const draft = (place: Place): Draft => ({ functionName: undefined, tags: [], problems: [], place })

export const outline = (root: Node, file: string): Outline => {
  const script = draft({ line: 1, column: 1 })
  const commands: Array<Draft> = []
  const functions = new Set<string>()
  const aliases = new Set<string>()
  let current = script
  const statements = statementsOf(root)
  for (const [index, node] of statements.entries()) {
    if (node.type === "function_definition") {
      const name = node.childForFieldName("name")?.text ?? ""
      const again = commands.find(({ functionName }) => functionName === name)
      if (again !== undefined && current === script) {
        again.problems.push({
          severity: "error",
          rule: "duplicate-function",
          message: `The command ${name} is defined again here, and this is the definition that would run; rename one of both`,
          file,
          place: placeOf(node),
          subject: name
        })
      }
      functions.add(name)
      if (current !== script) {
        current.functionName = name
        current = script
      }
      continue
    }
    if (!isTagLine(node)) continue
    const indent = node.text.search(/@/)
    const place = { ...placeOf(node), column: placeOf(node).column + indent }
    const problem = (severity: Problem["severity"], rule: string, message: string, at = indent): Problem => ({
      severity,
      rule,
      message,
      file,
      place: { line: place.line, column: place.column - indent + at },
      subject: current.functionName
    })
    const read = readTag(node.text, place)
    if (Either.isLeft(read)) {
      current.problems.push(problem("error", "malformed-tag", read.left.message, read.left.at))
      continue
    }
    if (read.right.type === "unknown") {
      current.problems.push(problem("warning", "unknown-tag", unknown(read.right.name)))
      continue
    }
    const { tag } = read.right
    if (tag.tag === "cmd") {
      current = draft(place)
      commands.push(current)
    } else if (current === script && functions.size > 0) {
      current.problems.push(problem("error", "misplaced-tag", misplaced(tag.tag)))
      continue
    }
    if (tag.tag === "alias") {
      for (const name of tag.names) {
        if (!aliases.has(name)) aliases.add(name)
        else
          current.problems.push(
            problem("warning", "duplicate-alias", `${name} is an alias before, so argc refuses the script`)
          )
      }
    }
    current.tags.push(withLines(tag, linesAfter(statements, index)))
  }
  return { root: script, commands, functions }
}

const misplaced = (tag: string): string =>
  `@${tag} stands below a function, where it belongs to nothing: put it above the first function, or below a @cmd`

const unknown = (name: string): string => {
  const nearest = nearestTag(name)
  return (
    `There is no tag @${name}, so it is ignored; ` +
    (nearest === undefined ? "write \\@ where a comment begins with an @" : `did you mean @${nearest}?`)
  )
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

/** Nothing where the comment has no tag; `name` where there is no such tag. */
type TagFound = { readonly type: "tag"; readonly tag: Tag } | { readonly type: "unknown"; readonly name: string }

const start = /^#+\s*@([A-Za-z][\w-]*)(?![\w-])/

/** A tag from the text of a comment. */
const isTag = (comment: string): boolean => start.test(comment)

/** Reads a comment that is a tag. `place` is where the tag begins, `at` of the failure is in the comment. */
const readTag = (comment: string, place: Place): Either.Either<TagFound, Malformed> => {
  const [all = "", name = ""] = start.exec(comment) ?? []
  const scanner = scan(comment, all.length)
  const found = (tag: Tag): TagFound => ({ type: "tag", tag })
  switch (name) {
    case "describe":
    case "cmd":
      return Either.right(found({ tag: name, text: scanner.rest().trim(), place }))
    case "option":
      return Either.map(afterSpace(scanner, readOption), (tag) => found({ ...tag, place }))
    case "flag":
      return Either.map(afterSpace(scanner, readFlag), (tag) => found({ ...tag, place }))
    case "arg":
      return Either.map(afterSpace(scanner, readArgument), (tag) => found({ ...tag, place }))
    case "env":
      return Either.map(afterSpace(scanner, readVariable), (tag) => found({ ...tag, place }))
    case "meta":
      return Either.map(
        afterSpace(scanner, (inner) =>
          inner.expect(/([\w-]+)\s*(.*)/y, "a name, as in `# @meta require-tools jq,curl`")
        ),
        ([, meta = "", value = ""]) => found({ tag: name, name: meta, value: value.trim(), place })
      )
    case "alias":
      return Either.map(
        afterSpace(scanner, (inner) => inner.expect(/[\w-]+(?:\s*,\s*[\w-]+)*\s*$/y, "names separated by commas")),
        ([names]) => found({ tag: name, names: names.trim().split(/\s*,\s*/), place })
      )
    case "version":
    case "author":
    case "help":
      return Either.right(found({ tag: name, place }))
    default:
      return Either.right({ type: "unknown", name })
  }
}

const names = ["describe", "cmd", "option", "flag", "arg", "env", "meta", "alias", "version", "author", "help"]

/** The tag that was probably meant. */
const nearestTag = (name: string): string | undefined => NearestNames.nearest(name, names, 2)

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
