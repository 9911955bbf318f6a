/** The file `LLM_OUTPUT` after the call. Scripts may make anything else of that path and its folder. */
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import { randomUUID } from "node:crypto"
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync
} from "node:fs"
import { join } from "node:path"

export class OutputTooLarge extends Data.TaggedError("OutputTooLarge") {}

/** It is there, and cannot be read. */
export class OutputUnreadable extends Data.TaggedError("OutputUnreadable")<{ readonly detail: string }> {}

/** A path that no script can know before its call. The folder is made with the first one, and again if a script has removed it. */
export const makeOutputPath = (folder: string): string => {
  try {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
  } catch {
    // The script that writes there finds out.
  }
  return join(folder, `output-${randomUUID()}`)
}

const read = (path: string, limit: number): Either.Either<Buffer, OutputTooLarge | OutputUnreadable> => {
  let descriptor: number | undefined
  try {
    // Opening a pipe would wait for a writer, and a link may lead anywhere.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const found = fstatSync(descriptor)
    if (!found.isFile()) return Either.left(new OutputUnreadable({ detail: "LLM_OUTPUT is no file any more" }))
    return found.size > limit ? Either.left(new OutputTooLarge()) : Either.right(readFileSync(descriptor))
  } catch {
    return Either.left(new OutputUnreadable({ detail: "LLM_OUTPUT is no file that can be read any more" }))
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Nothing where there is no such file. It is gone afterwards. */
export const takeOutputFile = (
  path: string,
  limit: number
): Either.Either<Buffer | undefined, OutputTooLarge | OutputUnreadable> => {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return Either.right(undefined)
  const content = read(path, limit)
  removeOutputFile(path)
  return content
}

export const removeOutputFile = (path: string): void => {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // It goes with its folder.
  }
}
