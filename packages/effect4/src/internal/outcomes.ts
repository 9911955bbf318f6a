/** Outcomes of Wield as those of an application on Effect 4: the same objects, but for the cause of a defect. */
import { Outcome as Outcome3 } from "@wield/effect3"
import type { Outcome } from "../Outcome.js"
import { fromCause3, toCause3 } from "./exits.js"

/** The types of tools, which the runner's type puts on again, are erased. */
export const outcomeFrom3 = (outcome: Outcome3.Outcome): Outcome =>
  outcome._tag === "Defect"
    ? {
        _tag: "Defect",
        id: outcome.id,
        call: outcome.call,
        name: outcome.name,
        notes: outcome.notes,
        reference: outcome.reference,
        cause: fromCause3(outcome.cause)
      }
    : outcome

/** What this package gave out, and no program can make. */
export const outcomeTo3 = (outcome: Outcome): Outcome3.Outcome =>
  outcome._tag === "Defect"
    ? new Outcome3.Defect({ ...outcome, notes: [], cause: toCause3(outcome.cause) })
    : // Only `outcomeFrom3` gives out outcomes, which hands these on as they are.
      (outcome as Outcome3.Outcome)
