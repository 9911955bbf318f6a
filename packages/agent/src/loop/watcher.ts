/** Tells what happens to calls. */
import type { ToolRunner } from "@wield/core"
import type { Emit } from "./plan.js"

export const watcherOf = (emit: Emit): ToolRunner.Watcher => ({
  started: (call) => emit({ _tag: "CallStarted", call }),
  progress: (call) => (value) => emit({ _tag: "CallProgress", call, value }),
  finished: (call, outcome) => emit({ _tag: "CallFinished", call, outcome })
})
