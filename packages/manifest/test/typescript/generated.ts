/** Generated modules, type-checked by the compiler and loaded. */
import { ToolDefinition } from "@wield/core"
import { TypeScript } from "@wield/manifest"
import * as Effect from "effect/Effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { messagesOf } from "../../../../test/compiler/messages.js"

const folder = dirname(fileURLToPath(import.meta.url))

/** As strict as a user's program can be, beside nothing of this repository. */
const options = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  target: "ES2022",
  module: "NodeNext",
  moduleResolution: "NodeNext",
  lib: ["ES2023", "DOM", "DOM.Iterable"]
}

/**
 * What the compiler says of modules. Generated ones ask not to be checked: that their schemas have the types that they
 * state is tried here.
 */
export const errorsOf = (modules: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(
    Effect.promise(() =>
      messagesOf(
        modules.map((code) => code.replace("// @ts-nocheck\n", "")),
        options
      )
    ),
    (messages) => messages.flat()
  )

/** The exports of a module; it stands in a folder from which packages are found. */
export const loaded = (code: string): Effect.Effect<{ readonly [name: string]: unknown }> =>
  Effect.acquireUseRelease(
    Effect.promise(() => mkdtemp(join(folder, ".scratch-"))),
    (temporary) =>
      Effect.promise(async () => {
        const file = join(temporary, "generated.ts")
        await writeFile(file, code)
        return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { readonly [name: string]: unknown }
      }),
    (temporary) => Effect.promise(() => rm(temporary, { recursive: true }))
  )

/** A module of one tool. */
export const generated = (parameters: ToolDefinition.ToolDefinition["inputSchema"]) =>
  TypeScript.generate([ToolDefinition.make({ name: "tool", inputSchema: parameters })])
