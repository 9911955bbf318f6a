/**
 * Files that were gone by the time that they were read are as if they had never
 * been listed: nothing is wrong with them.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { nameOf } from "./languages.js"

interface Reading {
  readonly file: string
  /** Absent where the file could not be read. */
  readonly text: string | undefined
}

/** Asks the folder again only where something could not be read. */
export const withoutGone = <One extends Reading>(
  folder: string,
  readings: ReadonlyArray<One>
): Effect.Effect<ReadonlyArray<One>, never, FileSystem.FileSystem> =>
  readings.every(({ text }) => text !== undefined)
    ? Effect.succeed(readings)
    : Effect.flatMap(FileSystem.FileSystem, (files) => files.readDirectory(folder)).pipe(
        Effect.map((names) => readings.filter(({ file, text }) => text !== undefined || names.includes(nameOf(file)))),
        // The folder is gone as a whole: that is told by whoever looks next.
        Effect.orElseSucceed(() => readings)
      )
