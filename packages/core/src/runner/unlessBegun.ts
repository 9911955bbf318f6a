/**
 * What a call came to when it was begun before, where something would end it now before it begins: its tool is gone or is
 * another one, or its approval rule says no by now. A model that reads of a call that it was not run makes it again.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Facts from "../Facts.js"
import { Denied, type Outcome } from "../Outcome.js"
import { noParameters } from "../ToolDefinition.js"
import type { Entry } from "../toolset/model.js"
import { isOfClient, keyOf, replay } from "./begin.js"
import { Execution } from "./execution.js"
import { parse } from "./parse.js"
import { journalErrorOf } from "./render.js"
import { strip } from "./strip.js"
import { uncertain } from "./uncertain.js"

export const unlessBegun = (execution: Execution, outcome: Outcome): Outcome | Effect.Effect<Outcome> => {
  const { isRecovered, ledger } = execution.run
  if (ledger === undefined || !isRefused(execution, outcome)) return outcome
  const before = asItWas(execution)
  if (before === undefined) return outcome
  const mayHaveRun = (reason: "begun" | "unreadable"): Outcome =>
    before.entry.definition.facts.isReadOnly ? outcome : uncertain(before, reason)
  const known = ledger.ask(
    "look",
    (journal) => journal.look(keyOf(before, ledger)),
    (known) => {
      // What its client has answered cannot be read without the tool.
      const isLost = outcome._tag === "UnknownTool" && isOfClient(execution)
      if (known._tag === "Fresh") return isLost ? uncertain(before, "lost") : outcome
      // What follows a call reads of its tool how its result is kept.
      execution.entry = before.entry
      return known._tag === "Finished"
        ? Effect.map(replay(before, known.ending), (ended) =>
            ended._tag === "Deferred" ? afterQuestion(outcome) : ended
          )
        : mayHaveRun("begun")
    },
    () => (isRecovered ? mayHaveRun("unreadable") : outcome)
  )
  return Effect.isEffect(known) ? Effect.map(known, (ended) => ended ?? outcome) : (known ?? outcome)
}

/** Whether it ended before it could begin. What the record or a person says of a call is the last word. */
const isRefused = ({ answer, attempt, key }: Execution, outcome: Outcome): boolean => {
  switch (outcome._tag) {
    case "UnknownTool":
    case "Unavailable":
      return true
    case "Denied":
    case "Defect":
    case "InvalidArguments":
      return (
        answer === undefined &&
        attempt === 0 &&
        key === undefined &&
        !outcome.notes.some(({ _tag }) => _tag === "Replayed") &&
        (outcome._tag !== "Defect" || journalErrorOf(outcome) === undefined)
      )
    default:
      return false
  }
}

/** The call had asked for input: it had begun. */
const afterQuestion = (outcome: Outcome): Outcome =>
  outcome._tag === "Denied" ? new Denied({ ...outcome, hasBegun: true }) : outcome

/** The call as it came, of its tool or of one of its name; `undefined` where it cannot have run like this. */
const asItWas = ({ call, fiber, machine, offer, progress, run }: Execution): Execution | undefined => {
  const before = new Execution(machine, run, offer, call, progress, undefined, fiber)
  before.entry = offer.entries.get(call.name) ?? offer.withheld.get(call.name) ?? entryOfGone(call.name)
  if (parse(before) !== undefined) return undefined
  strip(before)
  return before
}

/** A tool of which no more is known than its name. */
const entryOfGone = (name: string): Entry => ({
  definition: {
    name,
    description: undefined,
    inputSchema: noParameters,
    outputSchema: undefined,
    facts: Facts.unstated,
    provider: undefined
  },
  decode: Either.right,
  decodeStrict: Either.right,
  encode: Either.right,
  hidden: undefined,
  handler: undefined,
  context: undefined,
  encodeSuccess: Either.right,
  encodeFailure: Either.right,
  decodeSuccess: Either.right,
  decodeFailure: Either.right,
  isRaising: false,
  isContent: false
})
