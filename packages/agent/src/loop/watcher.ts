/** Gives the reader of a run what happens to its calls. */
import type { ToolRunner } from "@wield/core"
import { type Emit, emitLater } from "./plan.js"

export const watcherOf = (emit: Emit): ToolRunner.Watcher => ({
  started: (call) => emit({ _tag: "CallStarted", call }),
  progress: (call) => (value) => emitLater(emit, { _tag: "CallProgress", call, value }),
  finished: (call, outcome) => emit({ _tag: "CallFinished", call, outcome })
})
