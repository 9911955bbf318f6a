/** What a reader of a run's events must be able to rely on. */
import type { Conversation } from "@wield/agent"
import type { RunEvent } from "@wield/cluster"

/** What of the events is not the story of the entries: each recorded turn once, in order; what broke is marked. */
export const findUntrue = (
  events: ReadonlyArray<RunEvent.RunEvent>,
  entries: ReadonlyArray<Conversation.Entry>
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  let open: string | undefined
  let text = ""
  const finished = new Set<string>()
  for (const event of events) {
    if ((event._tag === "TurnStarted" || event._tag === "TurnBroken") && finished.has(event.entry))
      wrong.push(`${event._tag} of ${event.entry} came after its end`)
    if (event._tag === "TurnFinished") finished.add(event.entry)
    if (event._tag === "TurnStarted") {
      if (open !== undefined) wrong.push(`turn ${event.entry} began while ${open} went on`)
      open = event.entry
      text = ""
    }
    if (event._tag === "TextDelta") {
      if (open === undefined) wrong.push(`the text ${event.text} is of no turn`)
      text += event.text
    }
    if (event._tag === "TurnFinished") {
      // What a runner had not sent when it died is in the end of the turn only.
      if (open === event.entry && !event.text.startsWith(text))
        wrong.push(`turn ${open} has ${event.text}, and was shown ${text}`)
      if (open === event.entry) open = undefined
    }
    if (event._tag === "TurnBroken") open = undefined
  }
  if (open !== undefined) wrong.push(`turn ${open} has no end`)
  const recorded = entries.filter(({ message }) => message._tag === "Assistant").map(({ id }) => id)
  const seen = events.flatMap((event) => (event._tag === "TurnFinished" ? [event.entry] : []))
  if (JSON.stringify(seen) !== JSON.stringify(recorded))
    wrong.push(`turns ${seen} were seen, and ${recorded} are recorded`)
  return wrong
}
