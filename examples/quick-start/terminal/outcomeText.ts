/** An outcome in a few words for a person: what happened, and what the runner did beyond running the call. */
import { type Note, Outcome } from "@wield/core"
import { colours } from "./style.js"

type Colour = (text: string) => string

export const colourOf = (outcome: Outcome.Outcome): Colour => {
  switch (outcome._tag) {
    case "Success":
      return colours.green
    case "Deferred":
      return colours.cyan
    case "Failure":
    case "InvalidArguments":
    case "UnknownTool":
    case "Unavailable":
    case "Denied":
      return colours.yellow
    default:
      return colours.red
  }
}

export const outcomeText = (outcome: Outcome.Outcome): string =>
  [
    colours.bold(colourOf(outcome)(outcome._tag)),
    ...(Outcome.isDeferred(outcome) ? [`waits for ${outcome.waitsFor}`] : []),
    ...outcome.notes.map(noteText)
  ].join("\n")

/** What the model will read, exactly; for a call that waits, why it waits. */
export const readText = (outcome: Outcome.Outcome): string => {
  if (!Outcome.isDeferred(outcome)) return Outcome.text(outcome) ?? ""
  return colours.italic(colours.dim(`nothing yet${outcome.why === undefined ? "" : `: ${outcome.why}`}`))
}

const noteText = (note: Note.Note): string => {
  switch (note._tag) {
    case "Edited":
      return "a person changed the arguments"
    case "Stripped":
      return `dropped ${note.field}`
    case "Repaired":
      return `repaired ${note.repair}`
    case "Retried":
      return `${note.attempts} attempts`
    case "Repeated":
      return `the same ${note.times} times`
    case "Bounded":
      return `${note.bytes} bytes cut`
    case "Replayed":
    case "Cached":
      return note._tag.toLowerCase()
  }
}
