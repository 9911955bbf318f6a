/** What happens to calls, for a page. Loaded where a program listens. */
import * as AgentEvent from "@wield/agent/AgentEvent"
import type * as ToolRunner from "@wield/core/ToolRunner"
import * as Effect from "effect/Effect"
import type { CallEvent } from "../run.js"

export const watcherOf = (onEvent: (event: CallEvent) => void): ToolRunner.Watcher => {
  const report = (event: Parameters<typeof AgentEvent.toHappening>[0]) => {
    const happening = AgentEvent.toHappening(event)
    // Those of calls stay those of calls.
    onEvent(happening as CallEvent)
  }
  return {
    started: (call) => void report({ _tag: "CallStarted", call }),
    progress: (call) => (value) => Effect.sync(() => report({ _tag: "CallProgress", call, value })),
    finished: (call, outcome) => void report({ _tag: "CallFinished", call, outcome })
  }
}
