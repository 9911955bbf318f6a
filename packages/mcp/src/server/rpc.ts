/**
 * An error as JSON-RPC has it. Its message goes to the client, so it says
 * nothing about the program's inside.
 */
import type { Json } from "@wield/core"
import * as Secret from "@wield/core/Secret"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

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

/** A mistake of the program: the client reads a reference, the log has the cause, and no trace has it. */
export const internalError = (what: string, cause: unknown): Effect.Effect<RpcError> => {
  const reference = crypto.randomUUID()
  return Effect.logError(`${what} (reference ${reference})`, cause).pipe(
    Secret.outsideTraces,
    Effect.as(new RpcError({ code: -32603, message: `Internal error (reference ${reference})` }))
  )
}

/** What fails with an error for the client keeps it; any other failure is the program's mistake. */
export const orInternalError =
  (what: string) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, RpcError> =>
    Effect.catchAll(effect, (error) =>
      error instanceof RpcError ? Effect.fail(error) : Effect.flatMap(internalError(what, error), Effect.fail)
    )
