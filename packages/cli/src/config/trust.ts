/** Which folders may run code: those that the user has trusted, and the folders inside of them. */
import { mkdir, realpath, rm, stat, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, isAbsolute, join, relative } from "node:path"
import * as Effect from "effect/Effect"
import { constFalse, constTrue } from "effect/Function"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { messageOf, Refused } from "../output/Refused.js"
import { type Settings, Shell } from "../output/Shell.js"
import { replaceFile } from "../output/writeFile.js"
import { readFile } from "./readFile.js"

const Trusted = Schema.parseJson(Schema.Struct({ version: Schema.Literal(1), folders: Schema.Array(Schema.String) }), {
  space: 2
})

/** The user's own folder of the command. A relative one would lie in a folder that decides about itself. */
export const homeOf = ({ environment }: Pick<Settings, "environment">): string => {
  const given = environment["XDG_CONFIG_HOME"] ?? ""
  return join(isAbsolute(given) ? given : join(homedir(), ".config"), "wield")
}

const read = (file: string): Effect.Effect<ReadonlyArray<string>, unknown> =>
  readFile(file).pipe(
    Effect.flatMap(Schema.decode(Trusted)),
    Effect.map(({ folders }) => folders)
  )

/** The folder by which a folder is trusted: itself, or one above. A file that is missing or damaged trusts none. */
export const findTrust = (folder: string): Effect.Effect<Option.Option<string>> =>
  Effect.gen(function* () {
    const real = yield* realOf(folder)
    const folders = yield* Effect.orElseSucceed(read(fileOf(yield* Shell)), () => [])
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
    const attempt = <A>(work: () => Promise<A>) =>
      Effect.tryPromise({
        try: work,
        catch: (error) => Refused.failed(`${file} cannot be written: ${messageOf(error)}`)
      })
    yield* attempt(() => mkdir(dirname(file), { recursive: true, mode: 0o700 }))
    yield* Effect.acquireUseRelease(
      attempt(() => lock(`${file}.lock`)),
      () =>
        Effect.gen(function* () {
          const isThere = yield* Effect.promise(() => stat(file).then(constTrue, constFalse))
          const folders = isThere ? yield* Effect.mapError(read(file), () => damaged(file)) : []
          const text = yield* Effect.orDie(Schema.encode(Trusted)({ version: 1, folders: next(folders, real) }))
          yield* attempt(() => replaceFile(file, `${text}\n`, 0o600))
        }),
      () => Effect.promise(() => rm(`${file}.lock`, { force: true }))
    )
    return real
  })

const damaged = (file: string): Refused =>
  Refused.failed(
    `${file} is damaged, or of a newer version of the command: it is left as it is. Mend it, or remove it and trust each folder again`
  )

/** Milliseconds that another command may take to change the file. What is older was left by one that was killed. */
const patience = 5_000

/** Two commands that change the file at once: each is to keep what the other has written. */
const lock = async (file: string): Promise<void> => {
  for (let left = patience; ; left -= 20) {
    try {
      await writeFile(file, "", { flag: "wx", mode: 0o600 })
      return
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST") || left <= 0) throw error
    }
    await new Promise((resume) => setTimeout(resume, 20))
    const age = await stat(file).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0
    )
    if (age > patience) await rm(file, { force: true })
  }
}
