/**
 * One file of a folder as a script.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import type { Introspector, Kind } from "../Introspection.js"
import { readText } from "./readText.js"
import type { FileReading } from "./ScriptFolder.js"

export interface Reading {
  readonly introspector: Introspector
  readonly kind: Kind | undefined
  /** Where linked files may lie. */
  readonly roots: ReadonlyArray<string>
}

/** `before` is how the file was read the last time: the same text is not introspected again. */
export const readFile = (
  file: string,
  { introspector, kind, roots }: Reading,
  before?: FileReading
): Effect.Effect<FileReading, never, FileSystem.FileSystem | Path.Path> =>
  readText(file, roots).pipe(
    Effect.flatMap((text): Effect.Effect<FileReading> => {
      if (before !== undefined && before.text === text) return Effect.succeed(before)
      return introspector.introspect({ file, text, kind }).pipe(
        Effect.match({
          onSuccess: (script) => ({ file, script, problems: script.problems, text }),
          onFailure: ({ problems }) => ({ file, script: undefined, problems, text })
        })
      )
    }),
    Effect.catchAll((problem) => Effect.succeed({ file, script: undefined, problems: [problem], text: undefined }))
  )
