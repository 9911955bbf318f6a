/** Reads what the command is given on standard input. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import type * as Effect from "effect/Effect"
import { Refused } from "./Refused.js"

/** As much as a tool file may have. */
const mostBytes = 1_048_576

export const readInput: Effect.Effect<string, Refused> = NodeStream.toString(() => process.stdin, {
  maxBytes: mostBytes,
  onFailure: () => new Refused({ message: "Standard input cannot be read, or has more than 1 MiB" })
})
