/**
 * An error as JSON-RPC has it. Its message goes to the client, so it says
 * nothing about the program's inside.
 */
import type { Json } from "@wield/core"
import * as Data from "effect/Data"

export class RpcError extends Data.TaggedError("RpcError")<{
  readonly code: number
  readonly message: string
  readonly data?: Json.JsonObject | undefined
}> {}

export const invalidParams = (message: string, data?: Json.JsonObject): RpcError =>
  new RpcError({ code: -32602, message, data })

/** The same words for a tool that does not exist and one that is withheld. */
export const unknownTool = (name: string): RpcError => invalidParams(`Unknown tool: ${name.slice(0, 128)}`)

/** The same words for every reason, so that a forger learns nothing. */
export const invalidState = (): RpcError =>
  invalidParams("Invalid or expired requestState", { reason: "invalid_request_state" })
