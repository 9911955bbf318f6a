/** What lies in a folder that scripts may be made of, with a stamp of each file that shows changes. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Language } from "../Script.js"
import { languageOf, nameOf } from "./languages.js"

export interface Walk {
  /** By path. */
  readonly stamps: ReadonlyMap<string, string>
  /** The folder itself and those below it. */
  readonly folders: ReadonlyArray<string>
}

/** Where installed packages and what programs write are kept: no one edits these by hand. */
const installed: ReadonlySet<string> = new Set(["node_modules", "__pycache__", "cache", "venv", "site-packages"])

const deepest = 8

/** Never fails: what cannot be read is not there. Links are followed within the folder and `linkRoots` only. */
export const walk = (
  folder: string,
  linkRoots: ReadonlyArray<string> = []
): Effect.Effect<Walk, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const real = (place: string) => Effect.option(files.realPath(place))
    const roots = Array.from(yield* Effect.forEach([folder, ...linkRoots], real)).flatMap(Option.toArray)
    const stamps = new Map<string, string>()
    const folders: Array<string> = []
    // A link may lead back up.
    const seen = new Set<string>()
    const visit = (place: string, depth: number): Effect.Effect<void> =>
      Effect.gen(function* () {
        folders.push(place)
        const names = yield* Effect.orElseSucceed(files.readDirectory(place), () => [])
        yield* Effect.forEach(names.filter(mayMatter), (name) => look(path.join(place, name), depth), { discard: true })
      })
    const look = (place: string, depth: number): Effect.Effect<void> =>
      Effect.flatMap(Effect.option(files.stat(place)), (found) => {
        if (Option.isNone(found)) return Effect.void
        const { dev, ino, mtime, size, type } = found.value
        const identity = `${dev}:${Option.getOrElse(ino, () => place)}`
        if (type === "File") {
          const changed = Option.match(mtime, { onNone: () => 0, onSome: (date) => date.getTime() })
          stamps.set(place, `${identity}:${size}:${changed}`)
          return Effect.void
        }
        if (type !== "Directory" || depth === deepest || seen.has(identity)) return Effect.void
        seen.add(identity)
        return Effect.flatMap(real(place), (target) =>
          Option.isSome(target) && roots.some((root) => isInside(path, root, target.value))
            ? visit(place, depth + 1)
            : Effect.void
        )
      })
    yield* visit(path.resolve(folder), 0)
    return { stamps, folders }
  })

/** Of folders, which have no extension, all but the installed ones may. */
export const mayMatter = (name: string): boolean => {
  if (name === ".env") return true
  if (name.startsWith(".") || installed.has(name)) return false
  return languagesOf(name).length > 0 || !name.includes(".")
}

/** Which scripts a change of a file may change, when they import it or read it while they are loaded. */
export const languagesOf = (file: string): ReadonlyArray<Language> => {
  const name = nameOf(file)
  if (name === ".env") return ["python", "bash", "typescript", "javascript"]
  const language = name.endsWith(".json") ? "javascript" : languageOf(name)
  if (language === undefined) return []
  return language === "python" || language === "bash" ? [language] : ["typescript", "javascript"]
}

/** Files that were added, changed or removed. */
export const changesBetween = (before: Walk, after: Walk): ReadonlyArray<string> =>
  [...new Set([...before.stamps.keys(), ...after.stamps.keys()])].filter(
    (file) => before.stamps.get(file) !== after.stamps.get(file)
  )

/** Whether a real path is that of a folder, or lies in it. */
export const isInside = (path: Path.Path, folder: string, place: string): boolean => {
  const way = path.relative(folder, place)
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}
