/**
 * A tag from the text of a comment.
 */
import { NearestNames } from "@wield/core"
import * as Either from "effect/Either"
import type { Place } from "@wield/core/Problem"
import { readArgument, readFlag, readOption } from "./parameterTag.js"
import { scan, type Malformed, type Scanner } from "./scanner.js"
import type { Tag, VariableTag } from "./Tag.js"
import { readValueSyntax } from "./valueSyntax.js"

/** Nothing where the comment is none of a tag; `name` where there is no such tag. */
export type TagFound = { readonly type: "tag"; readonly tag: Tag } | { readonly type: "unknown"; readonly name: string }

const start = /^#+\s*@([A-Za-z][\w-]*)(?![\w-])/

export const isTag = (comment: string): boolean => start.test(comment)

/** Reads a comment that is a tag. `place` is where the tag begins, `at` of the failure is in the comment. */
export const readTag = (comment: string, place: Place): Either.Either<TagFound, Malformed> => {
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
export const nearestTag = (name: string): string | undefined => NearestNames.nearest(name, names, 2)

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
