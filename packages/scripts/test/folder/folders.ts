/**
 * Folders with files in them, for tests.
 */
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Effect, Layer, Logger } from "effect"

/** The real file system, without the log of problems that tests make on purpose. */
export const platform = Layer.merge(NodeContext.layer, Logger.remove(Logger.defaultLogger))

type Files = { readonly [path: string]: string | Uint8Array }

/** Writes files below a folder, and the folders they lie in. */
export const write = (folder: string, files: Files) =>
  Effect.gen(function* () {
    const system = yield* FileSystem.FileSystem
    for (const [path, content] of Object.entries(files)) {
      const file = `${folder}/${path}`
      yield* system.makeDirectory(file.slice(0, file.lastIndexOf("/")), { recursive: true })
      yield* typeof content === "string" ? system.writeFileString(file, content) : system.writeFile(file, content)
    }
  })

/** A folder of its own, which is removed with the scope. Its name is the real one. */
export const folderOf = (files: Files) =>
  Effect.gen(function* () {
    const system = yield* FileSystem.FileSystem
    const folder = yield* system.realPath(yield* system.makeTempDirectoryScoped())
    yield* write(folder, files)
    return folder
  })

/** A tool that gives a text: of Python or of JavaScript, by its extension. */
export const python = (description: string, result: string) =>
  `def run(name: str = "x") -> str:\n    """${description}"""\n    return ${result}\n`

export const javascript = (description: string, result: string) =>
  `/**\n * ${description}\n * @param {string} [name]\n */\nexport function run(name = "x") {\n  return ${result}\n}\n`
