/**
 * The text of one file of a folder. A link that leaves the folder is not
 * followed: who may write into a folder of tools would otherwise have any file
 * run.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import type { Problem } from "@wield/core/Problem"
import { isInside } from "./isInside.js"
import { fileError } from "./problem.js"
import { maximalSize, textOfBytes, tooLarge } from "./sourceText.js"

export const readText = (
  file: string,
  roots: ReadonlyArray<string>
): Effect.Effect<string, Problem, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const target = yield* unreadable(file, files.realPath(file))
    const allowed = yield* Effect.forEach(roots, (root) => unreadable(root, files.realPath(root)))
    if (!allowed.some((root) => isInside(path, root, target))) return yield* Effect.fail(outside(file))
    const { size, type } = yield* unreadable(file, files.stat(target))
    // Reading a pipe would wait for whoever writes to it.
    if (type !== "File") return yield* Effect.fail(fileError(file, "no-file", `This is no file, but: ${type}`))
    if (size > maximalSize) return yield* Effect.fail(tooLarge(file, Number(size)))
    return yield* textOfBytes(file, yield* unreadable(file, files.readFile(target)))
  })

const unreadable = <Value, R>(
  file: string,
  effect: Effect.Effect<Value, { readonly message: string }, R>
): Effect.Effect<Value, Problem, R> =>
  Effect.mapError(effect, ({ message }) => fileError(file, "unreadable", `The file cannot be read: ${message}`))

const outside = (file: string): Problem =>
  fileError(
    file,
    "link-outside",
    "This is a link to a file outside of the folder; copy the file, or name the folder it lies in among linkRoots"
  )
