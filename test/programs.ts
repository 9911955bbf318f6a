/** Programs that tests start as processes, as bundles: a process that reads the sources takes seconds to start. */
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { inject } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The path of the program's bundle. */
export const bundleOf = (program: string | URL): Effect.Effect<string> =>
  Effect.promise(async () => {
    const path = relative(root, typeof program === "string" ? program : fileURLToPath(program))
    const answer = await fetch(new URL("/bundle", inject("shared")), { method: "POST", body: path })
    if (!answer.ok) throw new Error(`${path} cannot be bundled: ${await answer.text()}`)
    return answer.text()
  })
