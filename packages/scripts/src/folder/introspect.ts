/**
 * A script from its text: what the language's introspection tells, with what
 * does not depend on the language.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { basename } from "node:path"
import { isError, type Problem } from "@wield/core/Problem"
import { parseShebang } from "../process/shebang.js"
import type { Script, ScriptFunction } from "../Script.js"
import { InvalidScript } from "../ScriptError.js"
import type { Source } from "../syntax/Source.js"
import type { Introspectors } from "./introspectors.js"
import { languageOf, nameOf, stemOf } from "./languages.js"
import { fileError, unfinished } from "./problem.js"
import { shebangOf } from "./shebang.js"
import { cleanText } from "./sourceText.js"
import { toolNameOf } from "./toolName.js"
import { unsupported } from "./unsupported.js"

interface Given extends Omit<Source, "kind"> {
  readonly kind?: Source["kind"] | undefined
}

export const introspectWith =
  (introspectors: Introspectors) =>
  ({ file, kind, text: given }: Given): Effect.Effect<Script, InvalidScript> =>
    Effect.gen(function* () {
      const language = languageOf(file)
      if (language === undefined) return yield* invalid(file, [unsupported(file)])
      const clean = cleanText(file, language, given)
      if (Either.isLeft(clean)) return yield* invalid(file, [clean.left])
      const { problems: changes, text } = clean.right
      const other = language === "bash" ? otherShellOf(shebangOf(text)) : undefined
      if (other !== undefined) return yield* invalid(file, [otherShell(file, other)])
      const kindOfFile = kind ?? kindOf(file)
      const introspect = yield* introspectors[language]
      const introspected = yield* introspect({ file, text, kind: kindOfFile })
      const functions = kindOfFile === "tool" ? named(file, introspected.functions) : introspected.functions
      const problems = [...changes, ...introspected.problems, ...nameless(file, functions)]
      const callable = functions.filter(({ name }) => name !== "")
      if (callable.length === 0) return yield* invalid(file, problems.some(isError) ? problems : [noTool(file)])
      return { file, language, text, ...introspected, functions: callable, problems, shebang: shebangOf(text) }
    }).pipe(Effect.catchAllDefect((defect) => invalid(file, [unfinished(file, defect)])))

/** A file `tools.py` is an agent's, as Loki has it: each of its functions is a tool. */
export const kindOf = (file: string): Source["kind"] => (stemOf(file) === "tools" ? "agent" : "tool")

/** Bash would run such a script otherwise than its author has meant, and often without an error. */
const otherShells: ReadonlySet<string> = new Set("csh elvish fish ksh ksh93 mksh nu pwsh tcsh xonsh zsh".split(" "))

const otherShellOf = (shebang: ReadonlyArray<string> | undefined): string | undefined => {
  const name = basename(parseShebang(shebang)?.command ?? "")
  return otherShells.has(name) ? name : undefined
}

const otherShell = (file: string, name: string): Problem => ({
  ...fileError(
    file,
    "other-shell",
    `The first line names ${name}, and a script is run by Bash; write it for Bash and begin it with #!/usr/bin/env bash`
  ),
  place: { line: 1, column: 1 }
})

const invalid = (file: string, problems: ReadonlyArray<Problem>): InvalidScript => new InvalidScript({ file, problems })

const named = (file: string, functions: ReadonlyArray<ScriptFunction>): ReadonlyArray<ScriptFunction> =>
  functions.map((scriptFunction) => ({ ...scriptFunction, name: toolNameOf(stemOf(file)) }))

const nameless = (file: string, functions: ReadonlyArray<ScriptFunction>): ReadonlyArray<Problem> =>
  functions.some(({ name }) => name === "")
    ? [
        fileError(
          file,
          "no-name",
          `${JSON.stringify(nameOf(file))} gives no tool a name; put a letter or a digit in it`
        )
      ]
    : []

/** Every introspection says why there is no function; this is for the day one does not. */
const noTool = (file: string): Problem => fileError(file, "no-tool", "The file has no function that is a tool")
