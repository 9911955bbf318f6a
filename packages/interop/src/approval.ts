/** A call that waits for a person, and the answer, as JSON that a host can keep and send. */
import type { Outcome, ToolCall } from "@wield/core"
import { show } from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as Response from "@wield/core/Response"

/**
 * A call that waits for a person or a client. It is JSON: it may be answered by another
 * process.
 *
 * @category models
 */
export interface Waiting {
  /** Names this request and no other: the key of a table of requests. */
  readonly id: string
  readonly name: string
  /** `approval`, `input`, or `client`: a tool without a handler, which a page runs and answers with its result. */
  readonly waitsFor: Outcome.WaitsFor
  /** The visible arguments, valid and as the model sent them. */
  readonly arguments: unknown
  /** Why a person is asked, where the rule says so. */
  readonly why?: string
  /** What exactly is asked about: an answer holds for nothing else. */
  readonly digest: string
  readonly call: ToolCall.ToolCall
  /** What the tool asks, where the call waits for input: `asks`, for the person, and the JSON Schema that it `accepts`. */
  readonly input?: Outcome.Input
  /** The calls of programs and sub-agents that it waits within, the outermost first. */
  readonly within?: ReadonlyArray<Pick<Waiting, "call" | "name">>
}

/**
 * What a person answers: `approve` has other arguments than the model's; `input`
 * is the reply to a call that asks for input. `result` and `failure` are what a client made of its call.
 *
 * @category models
 */
export type Reply =
  | "approve"
  | { readonly approve: Json.JsonObject }
  | { readonly deny: string }
  | { readonly input: Json.Json }
  | { readonly result: Json.Json }
  | { readonly failure: Json.Json }

/**
 * A reply to the request of this id, as a host hands it back: what a host shows
 * to a person has the id, and the answer repeats it.
 *
 * @category models
 */
export interface Answer {
  readonly id: string
  readonly reply: Reply
}

/**
 * Asks a person about a call, for hosts without approvals of their own.
 * `undefined` refuses the call. Where it throws, the call ends as an internal
 * error.
 *
 * @category models
 */
export type Ask = (waiting: Waiting) => Reply | Answer | undefined | Promise<Reply | Answer | undefined>

/**
 * As `Ask`, of a host that stops by a throw and goes on later, as LangGraph's
 * `interrupt` does: a yes has to repeat the id of what was asked.
 *
 * @category models
 */
export type AskLater = (waiting: Waiting) => LaterAnswer | Promise<LaterAnswer>

type LaterAnswer = Answer | Extract<Reply, { readonly deny: string }> | undefined

/**
 * What an exporter for such a host is given.
 *
 * @category models
 */
export interface AskOptions {
  /** Without it, calls that need approval are refused. */
  readonly ask?: Ask | undefined
}

/**
 * Of a deferred call, what a person is shown.
 *
 * @category conversions
 */
export const waitingOf = (deferred: Outcome.Deferred): Waiting => {
  const { arguments: given, call, digest, input, name, requestId, waitsFor, why } = deferred
  return {
    id: requestId,
    name,
    waitsFor,
    arguments: given,
    ...(why === undefined ? {} : { why }),
    digest,
    call,
    ...(input === undefined ? {} : { input })
  }
}

/**
 * Of a reply, the response that a deferred call takes. Throws a TypeError where it
 * is no reply: it may come from a browser.
 *
 * @category conversions
 */
export const responseOf = (reply: Reply): Response.Response => {
  if (!isReply(reply))
    throw new TypeError(
      `A reply is "approve", { approve: arguments }, { deny: "reason" }, { input: value }, { result: value } or { failure: value }, not ${showReply(reply)}`
    )
  if (reply === "approve") return Response.approve
  if (isDenial(reply)) return Response.deny(reply.deny)
  if ("input" in reply) return Response.reply(reply.input)
  if ("result" in reply) return Response.result(reply.result)
  return "failure" in reply ? Response.failure(reply.failure) : Response.approveWith(reply.approve)
}

/**
 * Whether a reply says no.
 *
 * @category guards
 */
export const isDenial = (reply: Reply): reply is Extract<Reply, { readonly deny: string }> =>
  reply !== "approve" && "deny" in reply

/**
 * A reply or an answer, if a value from outside is one: a host may have kept
 * it, or taken it from a browser.
 *
 * @category conversions
 */
export const answerOf = (value: unknown): { readonly id?: string | undefined; readonly reply: Reply } | undefined => {
  if (isReply(value)) return { reply: value }
  if (!Json.isObject(value) || typeof value["id"] !== "string" || !isReply(value["reply"])) return undefined
  return statedOf(value).length === 2 ? { id: value["id"], reply: value["reply"] } : undefined
}

const isReply = (value: unknown): value is Reply => {
  if (value === "approve") return true
  // Of two, one would be lost: what a person has changed, or a no.
  const [only, ...others] = Json.isObject(value) ? statedOf(value) : []
  if (only === undefined || others.length > 0) return false
  const [name, said] = only
  if (name === "deny") return typeof said === "string"
  return name === "approve" ? Json.isObject(said) : name === "input" || name === "result" || name === "failure"
}

/** With a value that is alone, which may be what is wrong. */
const showReply = (reply: unknown): string => {
  const [only, ...others] = Json.isPlain(reply) ? Object.entries(reply) : []
  return only === undefined || others.length > 0 ? show(reply) : `{ ${only[0]}: ${show(only[1])} }`
}

const statedOf = (value: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(value).filter(([, stated]) => stated !== undefined)
