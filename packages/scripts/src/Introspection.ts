/**
 * What a script says of its tools, read from its source: names, descriptions
 * and JSON Schemas of parameters. Nothing of the script is run.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Script } from "./Script.js"
import type { InvalidScript } from "./ScriptError.js"
import { introspectWith } from "./folder/introspect.js"
import { introspectors } from "./folder/introspectors.js"

/**
 * Which of a file's functions are tools.
 *
 * - `tool`: `run` alone (in Bash, the script itself), named by the file.
 * - `agent`: each public function (in Bash, each command), by its own name.
 *
 * @since 0.1.0
 * @category models
 */
export type Kind = "tool" | "agent"

/**
 * A file to introspect.
 *
 * @since 0.1.0
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
 * @since 0.1.0
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
 *   const text = [
 *     "def run(city: str, days: int = 1):",
 *     '    """Tells the weather of the next days.',
 *     "",
 *     "    Args:",
 *     "        city: Where",
 *     "        days: How many",
 *     '    """'
 *   ].join("\n")
 *   const { functions } = yield* introspect({ file: "tools/get-weather.py", text })
 *   return functions.map(({ description, name, parameters }) => [name, description, parameters.length])
 * })
 * Effect.runPromise(program).then((tools) =>
 *   assert.deepStrictEqual(tools, [["get_weather", "Tells the weather of the next days.", 2]])
 * )
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Introspector> = Effect.map(introspectors, (all) => ({
  introspect: introspectWith(all)
}))

/**
 * One script, by an introspector made for it alone. Whoever has several makes
 * one introspector and keeps it.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Introspection } from "@wield/scripts"
 * import { Effect } from "effect"
 *
 * const program = Effect.flip(Introspection.introspect({ file: "tools/weather.rb", text: "def run; end" }))
 * Effect.runPromise(program).then(({ message }) =>
 *   assert.strictEqual(
 *     message,
 *     'tools/weather.rb: error: Unsupported tool file extension: "weather.rb" ends in none of .py, .sh, .bash, .ts, .mts, .js, .mjs, .cjs'
 *   )
 * )
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const introspect = (source: Source): Effect.Effect<Script, InvalidScript> =>
  Effect.flatMap(make, (introspector) => introspector.introspect(source))
