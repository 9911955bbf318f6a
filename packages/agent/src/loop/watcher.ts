/** Gives the reader of a run what happens to its calls. */
import type { ToolRunner } from "@wield/core"
import { emitLater } from "./plan.js"
import type { State } from "./state.js"

export const watcherOf = ({ emitNow, ends }: State): ToolRunner.Watcher => {
  const watcher: ToolRunner.Watcher = {
    started: (call) => emitNow({ _tag: "CallStarted", call }),
    progress: (call) => (value) => emitLater(emitNow, { _tag: "CallProgress", call, value }),
    finished: (call, outcome) => emitNow({ _tag: "CallFinished", call, outcome })
  }
  return ends === undefined ? watcher : ends.watch(watcher)
}
