/**
 * The studio's HTTP API: what the page and other clients can ask, and what they
 * get. All of it is plain JSON. `GET /api/openapi.json` describes it too.
 *
 * A page imports types from here and nothing else: the schemas carry Effect.
 * `api/` has each part with its endpoints.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import { about } from "./api/about.js"
import { tools } from "./api/tools.js"
import { toolsets } from "./api/toolsets.js"
import { runs } from "./api/runs.js"
import { approvals } from "./api/approvals.js"
import { conversations } from "./api/conversations.js"
import { playground } from "./api/playground.js"

export { Conflict, Failed, type Issue, NotFound, ReadOnly, Refused } from "./api/parts.js"
export type { About, Problem } from "./api/about.js"
export type { Call, Called, CallRequest, Facts, Outcome, Previewed, Tool, ToolDetail, Wire } from "./api/tools.js"
export type { Toolset, ToolsetFile, ToolsetPreview, Toolsets } from "./api/toolsets.js"
export type { Changed, Event, Happening, Run, RunFile, Usage } from "./api/runs.js"
export type { Answered, Approval, ApprovalAnswer, Decision, Reply } from "./api/approvals.js"
export type { Conversation, Entry, Part } from "./api/conversations.js"
export type { Prompt, ScriptedPart, Session } from "./api/playground.js"

/**
 * The API. Before it comes the guard, whose refusals are JSON of the form
 * `{ _tag, message }`: 401 `Unauthorized`, 403 `ForeignOrigin`, 413 `TooLarge`,
 * 415 `NotJson`, 421 `ForeignHost`. A request of a wrong form is 400
 * `HttpApiDecodeError`.
 *
 * @category api
 */
export const Api = HttpApi.make("studio")
  .add(about)
  .add(tools)
  .add(toolsets)
  .add(runs)
  .add(approvals)
  .add(conversations)
  .add(playground)
  .prefix("/api")
