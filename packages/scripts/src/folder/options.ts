/** What plain JavaScript gives beside a folder: of options with another name, the limits would be lost in silence. */
import { type Check, holds } from "@wield/core/Options"
import * as Predicate from "effect/Predicate"

export const anExecutor: Check = holds("what `ScriptExecutor.make` gives", (given) =>
  Predicate.hasProperty(given, "runFunctionFile")
)
