/**
 * What options, arguments and environment variables share: defaults and choices.
 *
 * `=value`, `="a value"`, `` =`function` ``, `[a|b]`, `[=a|b]` (the first is the
 * default), `` [`function`] ``, `` [?`function`] ``.
 */
import * as Either from "effect/Either"
import type { Malformed, Scanner } from "./scanner.js"
import type { Choices, DefaultValue } from "./Tag.js"

export interface ValueSyntax {
  readonly default: DefaultValue | undefined
  readonly choices: Choices | undefined
}

export const readValueSyntax = (scanner: Scanner): Either.Either<ValueSyntax, Malformed> =>
  Either.gen(function* () {
    // A default reaches to the next space, brackets included.
    if (scanner.take(/=/y) !== undefined) return { default: yield* readDefault(scanner), choices: undefined }
    if (scanner.take(/\[/y) === undefined) return { default: undefined, choices: undefined }
    const isUnvalidated = scanner.take(/\?(?=`)/y) !== undefined
    const name = scanner.take(/`([^`\s]+)`/y)?.[1]
    if (name !== undefined) {
      yield* scanner.expect(/\]/y, "`]` after the function that prints the choices")
      return { default: undefined, choices: { type: "function", name, isValidated: !isUnvalidated } }
    }
    const isDefaultFirst = scanner.take(/=/y) !== undefined
    const values: Array<string> = []
    do {
      const [, double, single, plain] = yield* scanner.expect(
        /"([^"]*)"|'([^']*)'|([^\]|]+)/y,
        "a choice, as in `[a|b]`, or a function that prints them, as in [`function`]"
      )
      values.push(double ?? single ?? plain ?? "")
    } while (scanner.take(/\|/y) !== undefined)
    yield* scanner.expect(/\]/y, "`|` or `]` after a choice")
    const [first] = values
    return {
      default: isDefaultFirst && first !== undefined ? { type: "value", value: first } : undefined,
      choices: { type: "values", values }
    }
  })

const readDefault = (scanner: Scanner): Either.Either<DefaultValue, Malformed> =>
  Either.gen(function* () {
    const [, name, double, single, plain] = yield* scanner.expect(
      /`([^`\s]+)`|"([^"]*)"(?!\S)|'([^']*)'(?!\S)|([^\s`]\S*)/y,
      "a default after `=`: a value, or a function that prints it in backticks"
    )
    return name === undefined ? { type: "value", value: double ?? single ?? plain ?? "" } : { type: "function", name }
  })
