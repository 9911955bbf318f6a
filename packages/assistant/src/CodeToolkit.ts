/**
 * A tool with which a model has a file edited.
 *
 * @since 0.1.0
 */
import { Tool, Toolkit } from "@effect/ai"
import { Approval } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Edit, type Request } from "./CodeEdit.js"
import { CodeEditor, type Service } from "./CodeEditor.js"
import { EditFailure } from "./CodeError.js"

const of = (description: string) => Schema.String.annotations({ description })

/**
 * Has a language model edit a file. It is destructive: an application that wants
 * to be asked before says so in its policy.
 *
 * @since 0.1.0
 * @category tools
 */
export const MakeCodingEdit = Tool.make("make_coding_edit", {
  description:
    "Has another language model edit one text file, or make a new one, and gives the difference. That model sees the file and the instruction, and nothing of this conversation. An edit that fails leaves the file as it was.",
  parameters: {
    working_dir: of(
      "The folder of the file: the name of an allowed folder, or a path below one such as app/src. Never absolute, without .."
    ),
    instruction: of(
      "All that the edit needs: what to change, and every name, text, figure and rule for it. Say it in full, since nothing else is known"
    ),
    file_name: of("The name of the file in that folder")
  },
  success: Edit,
  failure: EditFailure,
  failureMode: "return"
})
  .annotate(Tool.Readonly, false)
  .annotate(Tool.Destructive, true)
  .annotate(Tool.Idempotent, false)
  .annotate(Tool.OpenWorld, false)

/**
 * A tool with which a model has a file edited.
 *
 * @since 0.1.0
 * @category toolkits
 */
export const toolkit = Toolkit.make(MakeCodingEdit)

/**
 * The handler of the toolkit.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = toolkit.toLayer(
  Effect.map(CodeEditor, (editor) =>
    toolkit.of({
      make_coding_edit: (parameters) => editor.edit(requestOf(parameters))
    })
  )
)

type Parameters = Tool.Parameters<typeof MakeCodingEdit>

const requestOf = ({ file_name, instruction, working_dir }: Parameters): Request => ({
  workingDir: working_dir,
  fileName: file_name,
  instruction
})

/**
 * A rule of approval that asks a person with the difference that the edit would
 * make, and denies what cannot be made. What is approved is made as it was shown,
 * as long as it is by the same editor: a preview is not remembered elsewhere, or
 * after a restart, where the language model is asked anew. The editor is the one
 * that the handler has; the rule asks its language model before a person is asked.
 *
 * @example
 * ```ts
 * import { CodeEditor, CodeToolkit } from "@wield/assistant"
 * import { ToolRunner, Toolset } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const runner = Effect.gen(function* () {
 *   const editor = yield* CodeEditor.CodeEditor
 *   return yield* ToolRunner.make(yield* Toolset.fromToolkit(CodeToolkit.toolkit), {
 *     approval: { make_coding_edit: CodeToolkit.askWithDiff(editor) }
 *   })
 * })
 * ```
 *
 * @since 0.1.0
 * @category approval
 */
export const askWithDiff =
  (editor: Service) =>
  ({ parameters }: { readonly parameters: Parameters }): Effect.Effect<Approval.Decision> =>
    editor.preview(requestOf(parameters)).pipe(
      Effect.map(({ edit }) => Approval.ask(edit.diff)),
      Effect.catchAll(({ message }) => Effect.succeed(Approval.deny(message)))
    )
