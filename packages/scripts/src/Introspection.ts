/**
 * What a script says of its tools, read from its source: names, descriptions
 * and JSON Schemas of parameters. Nothing of the script is run.
 */
import { once } from "@wield/core/Fibers"
import { isError, type Problem } from "@wield/core/Problem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { basename } from "node:path"
import { languageOf, nameOf, stemOf, toolNameOf } from "./folder/languages.js"
import { fileError, unfinishedProblem, unsupportedExtension } from "./folder/problem.js"
import { cleanText } from "./folder/sourceText.js"
import { parseShebang, shebangOf } from "./process/shebang.js"
import type { Language, Script, ScriptFunction } from "./Script.js"
import { InvalidScript } from "./ScriptError.js"
import type { Introspected, Source as CleanSource } from "./syntax/Source.js"

/**
 * Which of a file's functions are tools.
 *
 * - `tool`: `run` alone (in Bash, the script itself), named by the file.
 * - `agent`: each public function (in Bash, each command), by its own name.
 *
 * @category models
 */
export type Kind = "tool" | "agent"

/**
 * A file to introspect.
 *
 * @category models
 */
export interface Source {
  /** Its path: the extension tells the language, the stem the tool's name, and problems name it. Nothing is read from it. */
  readonly file: string
  readonly text: string
  /** Unless stated: `agent` for a file whose stem is `tools` (`tools.py`), `tool` for every other. */
  readonly kind?: Kind | undefined
}

/**
 * Introspects scripts. It keeps the parsers that it has loaded, each with the
 * first script that needs it.
 *
 * @category models
 */
export interface Introspector {
  /**
   * Fails where the file is no tool: with a syntax error, without a function or
   * without its description, with an extension that stands for no language.
   * What costs only some of an agent file's functions is among the script's
   * `problems`.
   *
   * A byte order mark is left out of the script's text. Bash scripts whose lines
   * end in CRLF are read as if they ended in LF, with a warning.
   */
  readonly introspect: (source: Source) => Effect.Effect<Script, InvalidScript>
}

/**
 * The reader of each language, loaded with the first file of the language:
 * parsers are large, and a program without such a file does not pay for them.
 */
type IntrospectLanguage = (source: CleanSource) => Effect.Effect<Introspected>

type Introspectors = { readonly [language in Language]: Effect.Effect<IntrospectLanguage> }

const introspectors: Effect.Effect<Introspectors> = Effect.sync(() => {
  const load = <Module>(module: () => Promise<Module>, reader: (module: Module) => Effect.Effect<IntrospectLanguage>) =>
    once(Effect.flatMap(Effect.promise(module), reader))
  // TypeScript and JavaScript share a parser.
  const javascript = load(
    () => import("./javascript/introspect.js"),
    (module) => module.introspectJavaScript
  )
  return {
    python: load(
      () => import("./python/introspect.js"),
      (module) => module.introspectPython
    ),
    bash: load(
      () => import("./bash/introspect.js"),
      (module) => module.introspectBash
    ),
    typescript: javascript,
    javascript
  }
})

/**
 * An introspector.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Introspection } from "@wield/scripts"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { introspect } = yield* Introspection.make
 *   const text = 'def run(city: str, days: int = 1):\n    """Tells the weather of the next days."""'
 *   const { functions } = yield* introspect({ file: "tools/get-weather.py", text })
 *   return functions.map(({ description, name, parameters }) => [name, description, parameters.length])
 * })
 * Effect.runPromise(program).then((tools) =>
 *   assert.deepStrictEqual(tools, [["get_weather", "Tells the weather of the next days.", 2]])
 * )
 * ```
 *
 * @category constructors
 */
export const make: Effect.Effect<Introspector> = Effect.map(introspectors, (all) => ({
  introspect: introspectWith(all)
}))

/**
 * One script, by an introspector made for it alone. For several, make one and
 * keep it.
 *
 * @category constructors
 */
export const introspect = (source: Source): Effect.Effect<Script, InvalidScript> =>
  Effect.flatMap(make, (introspector) => introspector.introspect(source))

const introspectWith =
  (introspectors: Introspectors) =>
  ({ file, kind, text: given }: Source): Effect.Effect<Script, InvalidScript> =>
    Effect.gen(function* () {
      const language = languageOf(file)
      if (language === undefined) return yield* invalid(file, [unsupportedExtension(file)])
      const clean = cleanText(file, language, given)
      if (Either.isLeft(clean)) return yield* invalid(file, [clean.left])
      const { problems: changes, text } = clean.right
      const other = language === "bash" ? otherShellOf(shebangOf(text)) : undefined
      if (other !== undefined) return yield* invalid(file, [otherShellProblem(file, other)])
      const kindOfFile = kind ?? kindOf(file)
      const introspect = yield* introspectors[language]
      const introspected = yield* introspect({ file, text, kind: kindOfFile })
      const functions = kindOfFile === "tool" ? nameByFile(file, introspected.functions) : introspected.functions
      const problems = [...changes, ...introspected.problems, ...namelessProblems(file, functions)]
      const callable = functions.filter(({ name }) => name !== "")
      if (callable.length === 0) return yield* invalid(file, problems.some(isError) ? problems : [noToolProblem(file)])
      return { file, language, text, ...introspected, functions: callable, problems, shebang: shebangOf(text) }
    }).pipe(Effect.catchAllDefect((defect) => invalid(file, [unfinishedProblem(file, defect)])))

/** A file `tools.py` is an agent's, as Loki has it: each of its functions is a tool. */
const kindOf = (file: string): Kind => (stemOf(file) === "tools" ? "agent" : "tool")

/** Bash would run such a script otherwise than its author has meant, and often without an error. */
const otherShells: ReadonlySet<string> = new Set("csh elvish fish ksh ksh93 mksh nu pwsh tcsh xonsh zsh".split(" "))

const otherShellOf = (shebang: ReadonlyArray<string> | undefined): string | undefined => {
  const name = basename(parseShebang(shebang)?.command ?? "")
  return otherShells.has(name) ? name : undefined
}

const otherShellProblem = (file: string, name: string): Problem => {
  const message = `The first line names ${name}, and a script is run by Bash; write it for Bash and begin it with #!/usr/bin/env bash`
  return fileError(file, "other-shell", message, { place: { line: 1, column: 1 } })
}

const invalid = (file: string, problems: ReadonlyArray<Problem>): InvalidScript => new InvalidScript({ file, problems })

const nameByFile = (file: string, functions: ReadonlyArray<ScriptFunction>): ReadonlyArray<ScriptFunction> =>
  functions.map((scriptFunction) => ({ ...scriptFunction, name: toolNameOf(stemOf(file)) }))

const namelessProblems = (file: string, functions: ReadonlyArray<ScriptFunction>): ReadonlyArray<Problem> => {
  const message = `${JSON.stringify(nameOf(file))} gives no tool a name; put a letter or a digit in it`
  return functions.some(({ name }) => name === "") ? [fileError(file, "no-name", message)] : []
}

/** Every introspection says why there is no function; this is for the day one does not. */
const noToolProblem = (file: string): Problem => fileError(file, "no-tool", "The file has no function that is a tool")
