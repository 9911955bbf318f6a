/**
 * Why a response ended, in one vocabulary.
 */
import type { Turn } from "@wield/core"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField } from "../internal/wireField.js"

export type Ending = Pick<Turn.Turn, "finish" | "nativeFinish">

/** What the calls of the response wait for. */
export interface Waiting {
  readonly hasCalls: boolean
  readonly hasApprovals: boolean
}

/** The reason why it is incomplete, or the code of its error, says more than the status and stands in its place. */
export const ending = (response: Fields, waiting: Waiting): Ending => {
  const status = stringField(response, "status")
  const done = (finish: Turn.Finish, nativeFinish = status): Ending => ({ finish, nativeFinish })
  switch (status) {
    // Some compatible servers have no status.
    case undefined:
    case "completed":
      if (waiting.hasCalls) return done("calls")
      // The API goes on once it knows whether it may call the MCP server.
      return done(waiting.hasApprovals ? "paused" : "stop")
    case "incomplete": {
      const reason = stringField(objectField(response, "incomplete_details") ?? {}, "reason")
      if (reason === "max_output_tokens") return done("length", reason)
      return done(reason === "content_filter" ? "filter" : "other", reason ?? status)
    }
    case "failed":
      return done("error", stringField(objectField(response, "error") ?? {}, "code") ?? status)
    case "queued":
    case "in_progress":
      return done("background")
    default:
      return done("other")
  }
}
