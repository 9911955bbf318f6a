/** The tools of the chat: a list of notes in a file. */
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { Tool, Toolkit } from "@effect/ai"
import { Effect, Schema } from "effect"

export class Notebook extends Toolkit.make(
  Tool.make("read_notes", { description: "The user's notes", success: Schema.Array(Schema.String) }).annotate(
    Tool.Readonly,
    true
  ),
  Tool.make("write_note", {
    description: "Adds a note of one line",
    parameters: { text: Schema.NonEmptyString.pipe(Schema.pattern(/^[^\n]*$/)) },
    success: Schema.String
  }).annotate(Tool.Destructive, false)
) {}

export const notebookIn = (path: string) =>
  Notebook.toLayer({
    read_notes: () =>
      Effect.sync(() => (existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [])),
    write_note: ({ text }) =>
      Effect.sync(() => {
        appendFileSync(path, `${text}\n`)
        return "written"
      })
  })
