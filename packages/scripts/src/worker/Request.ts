/** What a worker is asked to call, and within which bounds. */
import type * as Duration from "effect/Duration"
import type { ProgramCall } from "./Program.js"

export interface Bounds {
  readonly time: Duration.Duration
  /** Bytes of each stream, and of an answer. */
  readonly output: number
}

export interface Request {
  /** A call but for its marker, which the worker makes. */
  readonly call: Omit<ProgramCall, "marker">
  readonly bounds: Bounds
  /** Whether standard output may be the result and all of it is kept. */
  readonly isOutputKept: boolean
}
