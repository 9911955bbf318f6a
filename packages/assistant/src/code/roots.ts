/** The folders that an application lets be edited, by name, as they are on disk. */
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { InvalidRoot } from "../CodeError.js"
import * as system from "./system.js"

export const resolveRoots = (
  roots: Readonly<Record<string, string>>
): Effect.Effect<ReadonlyMap<string, string>, InvalidRoot> =>
  Effect.map(
    Effect.forEach(Object.entries(roots), ([name, path]) =>
      Effect.gen(function* () {
        const expected = (what: string) => new InvalidRoot({ name, path, expected: what })
        if (!/^[^\s/\\:~.][^/\\:\p{Cc}]*$/u.test(name)) {
          return yield* expected('under a name without "/", "\\" and ":" that begins with neither a dot nor a space')
        }
        // The application may configure a link; from there on none is followed.
        const real = yield* system.realPath(resolve(path)).pipe(Effect.mapError(() => expected("a folder that exists")))
        const found = yield* system.stat(real).pipe(Effect.mapError(() => expected("a folder that can be read")))
        return found.isDirectory() ? ([name, real] as const) : yield* expected("a folder")
      })
    ),
    (entries) => new Map(entries)
  )
