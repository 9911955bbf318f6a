/** Edits files below named folders, by a language model that answers with lines to search and replace. */
import type { LanguageModel } from "@effect/ai"
import type { Approval } from "@wield/core"
import { aCount, aFunction, aName, type Checks, fields, orThrow, record } from "@wield/core/Options"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { canAnchor } from "./code/folder.js"
import { makeEditor } from "./code/makeEditor.js"
import type { Edit, Preview, Request, Shown } from "./CodeEdit.js"
import type { EditFailure, FileChanged, FileFailed, FileRefused, InvalidRoot } from "./CodeError.js"

/**
 * What may be edited.
 *
 * @category models
 */
export interface Options {
  /** The folders below which files may be edited, by names that a model knows. It never learns where they are. */
  readonly roots: Readonly<Record<string, string>>
  /** Narrows it: what may be edited, by the name of the root and the path below it. All files unless given. */
  readonly allows?: ((file: string) => boolean) | undefined
  /** Bytes of a file at most, before and after the edit. 200,000 unless given. */
  readonly maxBytes?: number | undefined
  /** How many answers of the language model are tried. 3 unless given. */
  readonly attempts?: number | undefined
}

/**
 * Edits files.
 *
 * @category services
 */
export interface Service {
  /** The names of the roots, for instructions to a model. */
  readonly roots: ReadonlyArray<string>
  /**
   * Makes an edit. One that has been previewed is made as it was shown, without
   * asking the language model again; it fails with `FileChanged` where the file
   * is no longer the one that the preview was made for.
   */
  readonly edit: (request: Request) => Effect.Effect<Edit, EditFailure>
  /** What an edit would do; nothing is written. An equal request gives the same until it is made: the latest 100. */
  readonly preview: (request: Request) => Effect.Effect<Preview, EditFailure>
  /** Makes a previewed edit. The language model is not asked. */
  readonly apply: (preview: Preview) => Effect.Effect<Edit, FileRefused | FileChanged | FileFailed>
  /**
   * What an edit would do, to be approved; nothing is written. An equal request
   * gives the same again while the file is what it was and no one has answered;
   * then it is a new one. The latest 100 are remembered, in memory.
   */
  readonly show: (request: Request) => Effect.Effect<Shown>
  /**
   * What was shown and is approved now, with its subject, if it can be made: the
   * file is what it was, and the request the one that it was shown for. Once it
   * fails, it fails ever after, and so does `makeShown`.
   */
  readonly shown: (
    request: Request,
    approved: Approval.Approved
  ) => Effect.Effect<{ readonly subject: string; readonly preview: Preview }, EditFailure>
  /** Makes what was shown, once: byte for byte, in a file that is what it was, or nothing. No model is asked. */
  readonly makeShown: (request: Request, subject: string) => Effect.Effect<Edit, EditFailure>
}

/**
 * Edits files.
 *
 * @category services
 */
export class CodeEditor extends Context.Tag("@wield/assistant/CodeEditor")<CodeEditor, Service>() {}

/**
 * Edits files on disk by the language model of the program.
 *
 * It is for one process at a time and folder: edits of one file wait for each
 * other within the service, and what others write is noticed, but for the moment
 * between the last look and the replacement.
 *
 * @example
 * ```ts
 * import { CodeEditor } from "@wield/assistant"
 * import { Effect } from "effect"
 *
 * export const program = Effect.gen(function* () {
 *   const editor = yield* CodeEditor.CodeEditor
 *   const request = { workingDir: "app", fileName: "server.ts", instruction: "Listen on port 8080" }
 *   const { edit } = yield* editor.preview(request)
 *   yield* Effect.log(edit.diff)
 *   return yield* editor.edit(request) // makes what was previewed
 * }).pipe(Effect.provide(CodeEditor.layer({ roots: { app: "./app" } })))
 * ```
 *
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<CodeEditor, InvalidRoot, LanguageModel.LanguageModel> =>
  Layer.scoped(
    CodeEditor,
    Effect.flatMap(canAnchor, (anchored) => {
      orThrow(checkOptions(options), "What `CodeEditor.layer` takes")
      return makeEditor(options, anchored)
    })
  )

// Of a name that is misspelt, all files could be edited.
const checkOptions = fields(
  { roots: record(aName), allows: aFunction, maxBytes: aCount, attempts: aCount } satisfies Checks<Options>,
  ["roots"]
)
