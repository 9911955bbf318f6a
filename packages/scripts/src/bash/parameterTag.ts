/** `@option`, `@flag` and `@arg`. */
import * as Either from "effect/Either"
import type { Malformed, Scanner } from "./scanner.js"
import type { Modifier, ParameterTag } from "./Tag.js"
import { readValueSyntax } from "./valueSyntax.js"

type Read = Omit<ParameterTag, "place">

const none: Modifier = {
  isRequired: false,
  isMultiple: false,
  delimiter: undefined,
  isRest: false,
  isMap: false,
  isPrefix: false
}

/** `[-s] --name[modifier][default or choices] [$$|$VARIABLE] [<NOTATION>…] description` */
export const readOption = (scanner: Scanner): Either.Either<Read, Malformed> =>
  Either.gen(function* () {
    const { name, short, word } = yield* readName(scanner, "option")
    const modifier = readModifier(scanner)
    const value = yield* readValueSyntax(scanner)
    const variable = yield* readVariable(scanner)
    const notations = yield* readNotations(scanner)
    const described = { variable, ...notations, description: scanner.rest().trim() }
    // `-D-*`: the value follows the name at once, as in `-Dkey=value`; `--color:`: only after `=`, as Wield gives it anyway.
    const ending = /[-:]$/.exec(name)?.[0]
    const isPlain = !(modifier.isRequired || modifier.isRest || modifier.isMap || modifier.delimiter !== undefined)
    const isPrefix = isPlain && ending === "-"
    const withoutEnding = (text: string): string => (isPlain && ending !== undefined ? text.slice(0, -1) : text)
    return {
      tag: "option",
      name: withoutEnding(name),
      word: withoutEnding(word),
      short,
      modifier: { ...modifier, isPrefix },
      ...value,
      ...described
    }
  })

/** `[-s] --name[*] [$$|$VARIABLE] description`; with `*`, how often it is given counts. */
export const readFlag = (scanner: Scanner): Either.Either<Read, Malformed> =>
  Either.gen(function* () {
    const { name, short, word } = yield* readName(scanner, "flag")
    const isMultiple = scanner.take(/\*/y) !== undefined
    const variable = yield* readVariable(scanner)
    const at = scanner.position()
    const notation = scanner.take(aloneNotation)?.[1]
    if (notation !== undefined) {
      return yield* scanner.fail(`A flag takes no value; to take ${notation}, make it an @option`, at)
    }
    return {
      tag: "flag",
      name,
      word,
      short,
      modifier: { ...none, isMultiple },
      default: undefined,
      choices: undefined,
      variable,
      notations: [],
      repetition: undefined,
      description: scanner.rest().trim()
    }
  })

/** `name[modifier][default or choices] [$$|$VARIABLE] [<NOTATION>] description` */
export const readArgument = (scanner: Scanner): Either.Either<Read, Malformed> =>
  Either.gen(function* () {
    const [name] = yield* scanner.expect(/[A-Za-z0-9_][\w.:-]*/y, "the argument's name, as in `# @arg city! Where`")
    const modifier = readModifier(scanner)
    const value = yield* readValueSyntax(scanner)
    const variable = yield* readVariable(scanner)
    const at = scanner.position()
    const notations = yield* readNotations(scanner, 1)
    if (scanner.take(aloneNotation) !== undefined) {
      return yield* scanner.fail("Expected one notation: an argument is one value", at)
    }
    const described = { variable, ...notations, description: scanner.rest().trim() }
    return { tag: "arg", name, word: undefined, short: undefined, modifier, ...value, ...described }
  })

/** What is a notation by its look, where none can be: other text in angle brackets belongs to the description. */
const aloneNotation = /\s*<([A-Z][A-Z0-9_-]*)[*+?]?>[*+?]?(?=\s|$)/y

const readName = (
  scanner: Scanner,
  tag: "option" | "flag"
): Either.Either<{ readonly name: string; readonly word: string; readonly short: string | undefined }, Malformed> =>
  Either.gen(function* () {
    // A short name alone is the name.
    const short = scanner.take(/([-+]\S)\s+(?=[-+])/y)?.[1]
    const [, dashes = "", name = ""] = yield* scanner.expect(
      /(--|-|\+)([A-Za-z0-9_][\w.:-]*)/y,
      `the ${tag}'s name, as in \`# @${tag} -n --name\``
    )
    return { name: dashes === "+" ? `plus_${name}` : name, word: dashes + name, short }
  })

const readModifier = (scanner: Scanner): Modifier => {
  const [, single, many, delimiter] = scanner.take(/([!~%])|([*+])([,:@|/])?/y) ?? []
  return {
    isRequired: single === "!" || many === "+",
    isMultiple: many !== undefined,
    delimiter,
    isRest: single === "~",
    isMap: single === "%",
    isPrefix: false
  }
}

/** It stands before notations: after them, a `$` is one of the description. */
const readVariable = (scanner: Scanner): Either.Either<string | undefined, Malformed> =>
  Either.map(scanner.expect(/(?=\s|<|$)/y, "a space here"), () =>
    scanner.take(/\s+(\$\$|\$[A-Za-z_]\w*)(?!\S)/y)?.[1]?.slice(1)
  )

const readNotations = (
  scanner: Scanner,
  most = Infinity
): Either.Either<Pick<Read, "notations" | "repetition">, Malformed> =>
  Either.gen(function* () {
    const notations: Array<string> = []
    let repetition: Read["repetition"]
    while (notations.length < most) {
      const at = scanner.position()
      const text = notationIn(scanner.rest())
      if (text === undefined) {
        if (scanner.take(/\s*<(?=[^\s<>])/y) === undefined) break
        yield* scanner.expect(/(?!)/y, "a notation in angle brackets, as in `<INT>`")
        break
      }
      const [all = "", before = "", inner = ""] = /^(\s*)<(.*)>$/.exec(text) ?? []
      const opened = at + before.length
      if (repetition !== undefined) {
        return yield* scanner.fail(`Only the last notation may have \`${repetition}\``, opened)
      }
      scanner.skip(all.length)
      const [, name = "", inside] = /^(.*?)([*+?])?$/.exec(inner) ?? []
      const after = scanner.take(/[*+?](?=\s|<|$)/y)?.[0]
      yield* scanner.expect(/(?=\s|<|$)/y, `a space after the notation \`<${inner}>\``)
      notations.push(name)
      repetition = repetitionOf(inside ?? after)
    }
    return { notations, repetition }
  })

/** `<…>` at the beginning of a text, with the brackets inside of it in pairs; nothing where it is not closed. */
const notationIn = (text: string): string | undefined => {
  if (!/^\s*</.test(text)) return undefined
  let open = 0
  for (let at = text.indexOf("<"); at < text.length; at++) {
    if (text[at] === "<") open++
    if (text[at] === ">" && --open === 0) return text.slice(0, at + 1)
  }
  return undefined
}

const repetitionOf = (found: string | undefined): Read["repetition"] =>
  found === "*" || found === "+" || found === "?" ? found : undefined
