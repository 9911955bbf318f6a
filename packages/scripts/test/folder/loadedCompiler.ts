/** Says after each file that is named whether TypeScript's compiler is loaded, in a process that has loaded nothing else. */
import { Introspection } from "@wield/scripts"
import { Effect } from "effect"
import { createRequire } from "node:module"
import { javascript, python } from "./folders.js"

const isLoaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((file) => /[\\/]typescript[\\/]lib[\\/]/.test(file))

const files = {
  "a.py": python("A", "name"),
  "a.sh": "# @describe A\nmain() { :; }\n",
  "a.js": javascript("A", "name")
}

const program = Effect.gen(function* () {
  const { introspect } = yield* Introspection.make
  const loaded: Array<boolean> = []
  for (const [file, text] of Object.entries(files)) {
    if (!process.argv.includes(file)) continue
    yield* introspect({ file, text })
    loaded.push(isLoaded())
  }
  process.stdout.write(JSON.stringify(loaded))
})
await Effect.runPromise(program)
