/** A tool with which a model has a file edited. */
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as Approval from "@wield/core/Approval"
import * as CurrentCall from "@wield/core/CurrentCall"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Edit, type Request } from "./CodeEdit.js"
import { CodeEditor, type Service } from "./CodeEditor.js"
import { EditFailure } from "./CodeError.js"
import { isOfEdit } from "./code/shown.js"
import { failsWith, textOf } from "./tools/facts.js"

/**
 * A tool with which a model has a file edited.
 *
 * @category toolkits
 */
export const toolkit = Toolkit.make(
  Tool.make("make_coding_edit", {
    description:
      "Has another language model edit one text file, or make a new one, and gives the difference. That model sees the file and the instruction, and nothing of this conversation. An edit that fails leaves the file as it was.",
    parameters: {
      working_dir: textOf(
        "The folder of the file: the name of an allowed folder, or a path below one such as app/src. Never absolute, without .."
      ),
      instruction: textOf(
        "All that the edit needs: what to change, and every name, text, figure and rule for it. Say it in full, since nothing else is known"
      ),
      file_name: textOf("The name of the file in that folder")
    },
    success: Edit,
    ...failsWith(EditFailure)
  })
    .annotate(Tool.Readonly, false)
    .annotate(Tool.Destructive, true)
    .annotate(Tool.Idempotent, false)
    .annotate(Tool.OpenWorld, false)
)

/**
 * The handler of the toolkit.
 *
 * @category layers
 */
export const layer = toolkit.toLayer(
  Effect.map(CodeEditor, (editor) =>
    toolkit.of({
      make_coding_edit: (parameters) =>
        Effect.flatMap(CurrentCall.CurrentCall, ({ subject }) =>
          // What was shown is made, or nothing.
          isOfEdit(subject) ? editor.makeShown(requestOf(parameters), subject) : editor.edit(requestOf(parameters))
        )
    })
  )
)

type Parameters = Tool.Parameters<typeof toolkit.tools.make_coding_edit>

const requestOf = ({ file_name, instruction, working_dir }: Parameters): Request => ({
  workingDir: working_dir,
  fileName: file_name,
  instruction
})

/**
 * A rule of approval that asks a person with the difference that the edit would make, by the editor of the handler.
 * What is approved is made byte for byte, or the call is denied: where the file has changed, or the difference is no
 * longer in the editor's memory. An edit that cannot be made is not asked about; its call fails.
 *
 * @example
 * ```ts
 * import { CodeEditor, CodeToolkit } from "@wield/assistant"
 * import { Effect } from "effect"
 *
 * export const policy = Effect.map(CodeEditor.CodeEditor, (editor) => ({
 *   approval: { make_coding_edit: CodeToolkit.askWithDiff(editor) }
 * }))
 * ```
 *
 * @category approval
 */
export const askWithDiff =
  (editor: Service) =>
  ({
    approved,
    parameters
  }: {
    readonly parameters: Parameters
    readonly approved?: Approval.Approved | undefined
  }): Effect.Effect<Approval.Decision> =>
    approved === undefined
      ? Effect.map(editor.show(requestOf(parameters)), ({ preview, subject }) =>
          Either.match(preview, {
            // The handler fails with what the preview failed with.
            onLeft: () => Approval.allowOnly(subject),
            onRight: ({ edit }) => Approval.ask(edit.diff, { subject })
          })
        )
      : Effect.match(editor.shown(requestOf(parameters), approved), {
          onFailure: ({ message }) => Approval.deny(message),
          onSuccess: ({ preview, subject }) => Approval.ask(preview.edit.diff, { subject })
        })
