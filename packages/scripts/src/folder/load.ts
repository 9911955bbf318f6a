/**
 * A folder of scripts from its files.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Introspection from "../Introspection.js"
import type { UnreadableScript } from "../ScriptError.js"
import { assemble } from "./assemble.js"
import { list } from "./list.js"
import { readFile } from "./readFile.js"
import type { LoadOptions, ScriptFolder } from "./ScriptFolder.js"
import { withoutGone } from "./withoutGone.js"

export const load = (
  folder: string,
  { introspector, kind, linkRoots = [], selection }: LoadOptions
): Effect.Effect<ScriptFolder, UnreadableScript, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const listing = yield* list(folder, selection?.visibleTools)
    const reading = {
      introspector: introspector ?? (yield* Introspection.make),
      kind,
      roots: [folder, ...linkRoots]
    }
    const readings = yield* Effect.forEach(listing.files, (file) => readFile(file, reading), { concurrency: 8 })
    return assemble(folder, yield* withoutGone(folder, readings), selection, listing)
  })
