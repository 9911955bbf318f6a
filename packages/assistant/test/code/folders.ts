/** A folder on disk with an editor of its own, whose language model is told what to answer. */
import { FileSystem, Path } from "@effect/platform"
import { CodeEditor } from "@wield/assistant"
import { Context, Effect, Layer } from "effect"
import { makeModel } from "./models.js"

export const newFolder = (options: Omit<CodeEditor.Options, "roots"> = {}) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    const above = yield* files.realPath(yield* files.makeTempDirectoryScoped())
    const root = paths.join(above, "root")
    yield* files.makeDirectory(root)
    const model = makeModel()
    const context = yield* Layer.build(
      CodeEditor.layer({ roots: { app: root }, ...options }).pipe(Layer.provide(model.layer))
    )
    const editor = Context.get(context, CodeEditor.CodeEditor)
    const at = (name: string) => paths.join(root, name)
    return {
      above,
      root,
      editor,
      context,
      model: model.state,
      at,
      write: (name: string, text: string) => files.writeFileString(at(name), text),
      // Not as a string of the platform, which drops a byte order mark.
      read: (name: string) => Effect.map(files.readFile(at(name)), (bytes) => Buffer.from(bytes).toString()),
      bytes: (name: string) => files.readFile(at(name)),
      names: (name = ".") => Effect.map(files.readDirectory(at(name)), (found) => [...found].sort()),
      edit: (fileName: string, workingDir = "app") =>
        editor.edit({ workingDir, fileName, instruction: "Do what is to be done" })
    }
  })
