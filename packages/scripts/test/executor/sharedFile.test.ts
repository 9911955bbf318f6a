/** One file of several functions, of which callers of one executor know different ones. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Introspection from "../../src/Introspection.js"
import { makeExecutor, makeScript } from "./scripts.js"

const texts = {
  "tools.js": `/** A. */
export function a(x, y = 2) { return [x, y] }
/** B. */
export function b(x, y = 2) { return [x, y] }
`,
  "tools.sh": `# @cmd A.
# @option --x!
# @option --y=2
a() { echo "[$argc_x, $argc_y]"; }
# @cmd B.
# @option --x!
# @option --y=2
b() { echo "[$argc_x, $argc_y]"; }
eval "$(argc --argc-eval "$0" "$@")"
`
}

for (const [name, text] of Object.entries(texts)) {
  it.scopedLive(`${name}: a caller's function gets its arguments though another one's was loaded without it`, () =>
    Effect.gen(function* () {
      const { executor, tools } = yield* makeExecutor({ workers: { size: 1 } })
      const script = yield* Introspection.introspect({ file: join(tools, name), text, kind: "agent" })
      const only = (entry: string) => ({ ...script, functions: script.functions.filter((one) => one.entry === entry) })
      const call = (entry: string) =>
        Effect.forEach(only(entry).functions, (each) => executor.run(only(entry), each, { x: 1 }))
      for (const entry of ["a", "b", "a", "b"]) expect(yield* call(entry)).toEqual([[1, 2]])
    })
  )
}

it.scopedLive("no name of an argument is run by Bash, where nothing declares it", () =>
  Effect.gen(function* () {
    const { executor, tools } = yield* makeExecutor()
    const { script, scriptFunction } = makeScript("bash", 'main() { echo "$argc_x"; }\n', { folder: tools })
    const made = join(tools, "made")
    const name = `x[$(touch ${made})]`
    for (const value of ["v", ["v"]]) {
      expect(yield* executor.run(script, scriptFunction, { x: "1", [name]: value })).toBe(1)
    }
    expect(existsSync(made)).toBe(false)
  })
)
