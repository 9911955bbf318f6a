/** A recorded conversation over its wire format: run again, and what is wrong with that. */
import { NodeHttpClient } from "@effect/platform-node"
import { Model } from "@wield/agent"
import type { Json } from "@wield/core"
import { Cause, Effect, Exit } from "effect"
import { checkRequests, type Need } from "./checkRequests.js"
import { checkRuns } from "./checkRuns.js"
import type { Conversation, Step } from "./conversations.js"
import { replay } from "./replay.js"
import { spokenOf } from "./spoken.js"

/** `isCut`: streams come in small pieces. */
export const checkConversation = async (
  conversation: Conversation,
  isCut: boolean,
  need: Need
): Promise<ReadonlyArray<string>> => {
  const { format } = conversation.known
  const program = replay(
    conversation,
    isCut,
    (url, { exchange, model }) =>
      Model.fromWire(format, { url, model, isStreaming: exchange.stream !== undefined, retry: false }),
    settingsOf
  ).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layer), Effect.timeout("4 minutes"))
  const exit = await Effect.runPromiseExit(program)
  if (Exit.isFailure(exit)) return [Cause.pretty(exit.cause).slice(0, 600)]
  const { received, runs } = exit.value
  const spoken = spokenOf(conversation, runs)
  return [
    ...checkRuns(conversation, runs, true),
    ...spoken.problems,
    ...checkRequests(conversation, received, spoken, need)
  ]
}

/** The other keys of the request; model and streaming are what the model itself says. */
export const settingsOf = ({ request }: Step): Json.JsonObject => {
  const { model: _model, stream: _stream, ...settings } = request.settings?.json ?? {}
  return settings
}
