/** What happens to calls, for a page. Loaded where a program listens. */
import * as AgentEvent from "@wield/agent/AgentEvent"
import type * as ToolRunner from "@wield/core/ToolRunner"
import * as Effect from "effect/Effect"
import type { CallEvent } from "../run.js"
import { listen } from "./listen.js"

export const watcherOf = (onEvent: (event: CallEvent) => unknown): ToolRunner.Watcher => {
  const hear = listen(onEvent)
  // Those of calls stay those of calls.
  const report = (event: Parameters<typeof AgentEvent.toHappening>[0]) =>
    hear(AgentEvent.toHappening(event) as CallEvent)
  return {
    started: (call) => report({ _tag: "CallStarted", call }),
    progress: (call) => (value) => Effect.suspend(() => report({ _tag: "CallProgress", call, value }) ?? Effect.void),
    finished: (call, outcome) => report({ _tag: "CallFinished", call, outcome })
  }
}
