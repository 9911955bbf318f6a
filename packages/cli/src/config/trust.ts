/** Which folders may run code: those that the user has trusted, and the folders inside of them. */
import { mkdir, realpath, rename, stat, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, isAbsolute, join, relative } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Refused } from "../output/Refused.js"
import { type Settings, Shell } from "../output/Shell.js"
import { readFile } from "./readFile.js"

const Trusted = Schema.parseJson(Schema.Struct({ version: Schema.Literal(1), folders: Schema.Array(Schema.String) }), {
  space: 2
})

/** The user's own folder of the command. A relative one would lie in a folder that decides about itself. */
export const homeOf = ({ environment }: Pick<Settings, "environment">): string => {
  const given = environment["XDG_CONFIG_HOME"] ?? ""
  return join(isAbsolute(given) ? given : join(homedir(), ".config"), "wield")
}

const read: Effect.Effect<ReadonlyArray<string>> = Effect.flatMap(Shell, (shell) =>
  readFile(join(homeOf(shell), "trusted.json"))
).pipe(
  Effect.flatMap(Schema.decode(Trusted)),
  Effect.map(({ folders }) => folders),
  // A file that is missing or damaged trusts no folder.
  Effect.orElseSucceed(() => [])
)

export const isTrusted = (folder: string): Effect.Effect<boolean> =>
  Effect.zipWith(realOf(folder), read, (real, folders) => folders.some((trusted) => isInside(real, trusted)))

/** Links are followed: what is trusted is a place, not a name for it. */
const realOf = (folder: string) =>
  Effect.orElseSucceed(
    Effect.tryPromise(() => realpath(folder)),
    () => folder
  )

const isInside = (folder: string, parent: string): boolean => {
  const path = relative(parent, folder)
  return path === "" || (!path.startsWith("..") && !isAbsolute(path))
}

/** A folder that does not exist yet could be made by another user later. */
export const trust = (folder: string): Effect.Effect<string, Refused> =>
  Effect.gen(function* () {
    const found = yield* Effect.option(Effect.tryPromise(() => stat(folder)))
    if (Option.isNone(found) || !found.value.isDirectory()) return yield* Refused.usage(`${folder} is no folder`)
    return yield* change(folder, (folders, real) => [...folders.filter((other) => other !== real), real])
  })

export const distrust = (folder: string): Effect.Effect<string, Refused> =>
  change(folder, (folders, real) => folders.filter((other) => other !== real))

const change = (
  folder: string,
  next: (folders: ReadonlyArray<string>, real: string) => ReadonlyArray<string>
): Effect.Effect<string, Refused> =>
  Effect.gen(function* () {
    const file = join(homeOf(yield* Shell), "trusted.json")
    const real = yield* realOf(folder)
    const text = yield* Effect.orDie(Schema.encode(Trusted)({ version: 1, folders: next(yield* read, real) }))
    yield* Effect.tryPromise({
      try: async () => {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        // Replaced as a whole, so that a crash leaves what was there.
        await writeFile(`${file}.${process.pid}`, `${text}\n`, { mode: 0o600 })
        await rename(`${file}.${process.pid}`, file)
      },
      catch: (error) => Refused.failed(`${file} cannot be written: ${String(error)}`)
    })
    return real
  })
