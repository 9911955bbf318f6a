/**
 * `@option`, `@flag` and `@arg`.
 */
import * as Either from "effect/Either"
import type { Malformed, Scanner } from "./scanner.js"
import type { Modifier, ParameterTag } from "./Tag.js"
import { readValueSyntax } from "./valueSyntax.js"

type Read = Omit<ParameterTag, "place">

const none: Modifier = { isRequired: false, isMultiple: false, delimiter: undefined, isRest: false, isMap: false }

/** `[-s] --name[modifier][default or choices] [$$|$VARIABLE] [<NOTATION>…] description` */
export const readOption = (scanner: Scanner): Either.Either<Read, Malformed> =>
  Either.gen(function* () {
    const { name, word } = yield* readName(scanner, "option")
    const modifier = readModifier(scanner)
    const value = yield* readValueSyntax(scanner)
    const ending = yield* readEnding(scanner)
    return { tag: "option", name, word, modifier, ...value, ...ending }
  })

/** `[-s] --name[*] [$$|$VARIABLE] description`; with `*`, how often it is given counts. */
export const readFlag = (scanner: Scanner): Either.Either<Read, Malformed> =>
  Either.gen(function* () {
    const { name, word } = yield* readName(scanner, "flag")
    const isMultiple = scanner.take(/\*/y) !== undefined
    const at = scanner.position()
    const ending = yield* readEnding(scanner)
    if (ending.notations.length > 0) {
      return yield* scanner.fail(`A flag takes no value; to take ${ending.notations.join(" ")}, make it an @option`, at)
    }
    return {
      tag: "flag",
      name,
      word,
      modifier: { ...none, isMultiple },
      default: undefined,
      choices: undefined,
      ...ending
    }
  })

/** `name[modifier][default or choices] [$$|$VARIABLE] [<NOTATION>] description` */
export const readArgument = (scanner: Scanner): Either.Either<Read, Malformed> =>
  Either.gen(function* () {
    const [name] = yield* scanner.expect(/[A-Za-z0-9_][\w.:-]*/y, "the argument's name, as in `# @arg city! Where`")
    const modifier = readModifier(scanner)
    const value = yield* readValueSyntax(scanner)
    const at = scanner.position()
    const ending = yield* readEnding(scanner)
    if (ending.notations.length > 1) return yield* scanner.fail("Expected one notation: an argument is one value", at)
    return { tag: "arg", name, word: undefined, modifier, ...value, ...ending }
  })

const readName = (
  scanner: Scanner,
  tag: "option" | "flag"
): Either.Either<{ readonly name: string; readonly word: string }, Malformed> =>
  Either.gen(function* () {
    // A short name alone is the name.
    scanner.take(/[-+]\S\s+(?=[-+])/y)
    const [, dashes = "", name = ""] = yield* scanner.expect(
      /(--|-|\+)([A-Za-z0-9_][\w.:-]*)/y,
      `the ${tag}'s name, as in \`# @${tag} -n --name\``
    )
    return { name: dashes === "+" ? `plus_${name}` : name, word: dashes + name }
  })

const readModifier = (scanner: Scanner): Modifier => {
  const [, single, many, delimiter] = scanner.take(/([!~%])|([*+])([,:@|/])?/y) ?? []
  return {
    isRequired: single === "!" || many === "+",
    isMultiple: many !== undefined,
    delimiter,
    isRest: single === "~",
    isMap: single === "%"
  }
}

const readEnding = (
  scanner: Scanner
): Either.Either<Pick<Read, "variable" | "notations" | "repetition" | "description">, Malformed> =>
  Either.gen(function* () {
    const notations: Array<string> = []
    let variable: string | undefined
    let repetition: Read["repetition"]
    yield* scanner.expect(/(?=\s|<|$)/y, "a space here")
    for (;;) {
      const dollar = scanner.take(/\s+(\$\$|\$[A-Za-z_]\w*)(?!\S)/y)?.[1]
      if (dollar !== undefined) {
        variable = dollar.slice(1)
        continue
      }
      if (scanner.take(/\s*</y) === undefined) break
      const opened = scanner.position() - 1
      const [, notation = "", inside, after] = yield* scanner.expect(
        /([^<>\s*+?]+)([*+?])?>([*+?])?/y,
        "a notation in angle brackets, as in `<INT>`"
      )
      if (repetition !== undefined)
        return yield* scanner.fail(`Only the last notation may have \`${repetition}\``, opened)
      notations.push(notation)
      repetition = repetitionOf(inside ?? after)
    }
    return { notations, repetition, variable, description: scanner.rest().trim() }
  })

const repetitionOf = (found: string | undefined): Read["repetition"] =>
  found === "*" || found === "+" || found === "?" ? found : undefined
