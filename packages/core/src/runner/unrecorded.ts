/**
 * A call that the journal could not write down at its beginning. It was not run:
 * after a crash nobody would know of it.
 */
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import { JournalError } from "../JournalError.js"
import type { Defect } from "../Outcome.js"

export const isUnrecorded = ({ cause }: Defect): boolean =>
  Option.exists(Cause.failureOption(cause), (failure) => failure instanceof JournalError)
