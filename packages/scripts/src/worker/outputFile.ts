/**
 * The file that `LLM_OUTPUT` names: what stands in it when the call is over.
 */
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import { existsSync, lstatSync, readFileSync, rmSync } from "node:fs"

export class OutputTooLarge extends Data.TaggedError("OutputTooLarge") {}

/** Nothing where there is no such file. It is gone afterwards. */
export const takeOutputFile = (path: string, limit: number): Either.Either<Buffer | undefined, OutputTooLarge> => {
  if (!existsSync(path)) return Either.right(undefined)
  const found = lstatSync(path)
  // A script may have made it a pipe or a folder: only a file can be read to its end.
  const isRead = found.isFile() && found.size <= limit
  const content = isRead ? readFileSync(path) : undefined
  rmSync(path, { recursive: true, force: true })
  return found.size > limit ? Either.left(new OutputTooLarge()) : Either.right(content)
}
