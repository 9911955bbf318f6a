/** Which folders may run code: those that the user has trusted, and the folders inside of them. */
import { realpath, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { isAbsolute, join, relative } from "node:path"
import * as SharedFile from "@wield/process/SharedFile"
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

const decode = (text: string) => Effect.map(Schema.decode(Trusted)(text), ({ folders }) => folders)

/** The folder by which a folder is trusted: itself, or one above. A file that is missing or damaged trusts none. */
export const findTrust = (folder: string): Effect.Effect<Option.Option<string>> =>
  Effect.gen(function* () {
    const real = yield* realOf(folder)
    const folders = yield* Effect.orElseSucceed(Effect.flatMap(readFile(fileOf(yield* Shell)), decode), () => [])
    return Option.fromNullable(folders.find((trusted) => isInside(real, trusted)))
  })

export const isTrusted = (folder: string): Effect.Effect<boolean> => Effect.map(findTrust(folder), Option.isSome)

const fileOf = (shell: Pick<Settings, "environment">): string => join(homeOf(shell), "trusted.json")

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
    const file = fileOf(yield* Shell)
    const real = yield* realOf(folder)
    yield* SharedFile.change(file, (text) =>
      Effect.gen(function* () {
        const folders = text === undefined ? [] : yield* Effect.mapError(decode(text), () => damaged(file))
        return `${yield* Effect.orDie(Schema.encode(Trusted)({ version: 1, folders: next(folders, real) }))}\n`
      })
    ).pipe(Effect.catchTag("SharedFileError", ({ message }) => Refused.failed(message)))
    return real
  })

const damaged = (file: string): Refused =>
  Refused.failed(
    `${file} is damaged, or of a newer version of the command: it is left as it is. Mend it, or remove it and trust each folder again`
  )
