/**
 * Reads and writes the file of a recording. A write is whole or does not happen;
 * the same exchanges give the same bytes.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Json from "@wield/core/Json"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { RecordingFailed, RecordingInvalid } from "../RecordingError.js"
import { type Exchange, File } from "./exchange.js"

export const read = (
  file: string
): Effect.Effect<ReadonlyArray<Exchange> | undefined, RecordingInvalid | RecordingFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const text = yield* files.readFileString(file).pipe(
      Effect.catchIf(
        (error) => error._tag === "SystemError" && error.reason === "NotFound",
        () => Effect.succeed(undefined)
      ),
      Effect.mapError(failureOf(file))
    )
    if (text === undefined) return undefined
    return yield* Schema.decodeUnknown(Schema.parseJson(File))(text).pipe(
      Effect.mapError(
        (error) =>
          new RecordingInvalid({
            file,
            detail: ParseResult.TreeFormatter.formatErrorSync(error).replaceAll(/\s+/g, " ")
          })
      )
    )
  })

export const write = (
  file: string,
  exchanges: ReadonlyArray<Exchange>,
  literals: ReadonlyArray<string>
): Effect.Effect<void, RecordingFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const text = `${JSON.stringify(sortKeys(exchanges), undefined, 2)}\n`
    // The last defence, for an unexpected place.
    if (literals.some((literal) => text.includes(literal))) {
      return yield* new RecordingFailed({
        file,
        detail: "it would contain a secret, so nothing was written. Name the place of the secret in `secrets`"
      })
    }
    const temporary = `${file}.${(yield* Random.nextIntBetween(0, 2 ** 31)).toString(36)}.tmp`
    yield* files.makeDirectory(folderOf(file), { recursive: true }).pipe(
      Effect.zipRight(files.writeFileString(temporary, text)),
      Effect.zipRight(files.rename(temporary, file)),
      Effect.onError(() => Effect.ignore(files.remove(temporary))),
      Effect.mapError(failureOf(file))
    )
  })

const failureOf = (file: string) => (error: PlatformError) => new RecordingFailed({ file, detail: error.message })

const folderOf = (file: string): string => {
  const end = Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\"))
  return end < 0 ? "." : file.slice(0, Math.max(1, end))
}

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!Json.isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])])
  )
}
