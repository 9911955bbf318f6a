/** A call that waits for a person, a client or input, as JSON: what a paused run gives away and an answer names. */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Facts, Outcome, ToolCall } from "@wield/core"
import * as Json from "@wield/core/Json"
import { orThrow, secrets as areSecrets } from "@wield/core/Options"
import * as Response from "@wield/core/Response"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { ExpiredRequest, type InvalidAnswer, TamperedRequest } from "./AnswerError.js"
import { InputJson, JsonValue } from "./conversation/entries.js"
import { canonical } from "./deferred/canonical.js"
import { invalid } from "./deferred/invalid.js"

/** Absent in JSON, `undefined` in the program. */
const absent = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalToRequired(schema, Schema.UndefinedOr(Schema.typeSchema(schema)), {
    decode: Option.getOrUndefined,
    encode: Option.fromNullable
  })

/**
 * A JSON object, handed on as it is: what is in it was JSON text, or was parsed
 * by the runner. A record would lose a key named `__proto__`.
 */
const JsonObject = Schema.declare((value: unknown): value is Json.JsonObject => Json.isObject(value), {
  identifier: "a JSON object"
})

const FactsJson = Schema.Struct({
  kind: Schema.Literal("local", "api", "client", "provider"),
  title: absent(Schema.String),
  isReadOnly: Schema.Boolean,
  isDestructive: Schema.Boolean,
  isIdempotent: Schema.Boolean,
  isOpenWorld: Schema.Boolean,
  disclosure: Schema.Literal("none", "endpoint", "any"),
  isSequential: Schema.Boolean,
  examples: Schema.Array(JsonObject)
})

const CallJson = Schema.Struct({ id: Schema.String, name: Schema.String, arguments: Schema.Unknown })

const ByJson = Schema.Struct({ who: Schema.String, way: Schema.optional(Schema.String) })

const ResponseJson = Schema.Union(
  // Under another name, an edit would be lost, and run what a person has changed.
  Schema.TaggedStruct("Approve", { arguments: Schema.optional(JsonObject) }).annotations({
    parseOptions: { onExcessProperty: "error" }
  }),
  Schema.TaggedStruct("Deny", { reason: Schema.String }),
  Schema.TaggedStruct("Result", { encoded: Schema.Unknown }),
  Schema.TaggedStruct("Failure", { encoded: Schema.Unknown }),
  Schema.TaggedStruct("Reply", { value: JsonValue })
)

/**
 * A call that waits.
 *
 * @category models
 */
export interface DeferredCall {
  /**
   * Names this request and no other: of its conversation, entry, call and digest.
   * Two equal calls have two. Keep a table of requests by it.
   */
  readonly id: string
  /** The id of the conversation. */
  readonly conversation: string
  /** The id of the assistant's entry that has the call. */
  readonly entry: string
  /** The call as the model sent it. */
  readonly call: ToolCall.ToolCall
  readonly name: string
  /** The visible arguments, parsed and valid, as the model sent them. */
  readonly arguments: Json.JsonObject
  readonly waitsFor: Outcome.WaitsFor
  /** What is asked, where the call waits for input. */
  readonly input?: Outcome.Input | undefined
  /**
   * The calls of sub-agents that it waits within, the outermost first: it is a
   * call of the sub-agent that the last of them runs.
   */
  readonly within?: ReadonlyArray<Within> | undefined
  /** Why a person is asked, where the policy says so. */
  readonly why: string | undefined
  /** Of tool, definition, arguments and what else the approval rule asks about; what an answer answers. */
  readonly digest: string
  readonly facts: Facts.Facts
  /** What the tool is for, as the model reads it. */
  readonly description: string | undefined
  /** Milliseconds since 1970; after it, no approval and no reply is taken. */
  readonly expiresAt: number | undefined
  /** HMAC-SHA-256 over all of the above, hexadecimal, where the agent signs. */
  readonly signature: string | undefined
}

/**
 * A call that runs a sub-agent.
 *
 * @category models
 */
export interface Within {
  readonly call: ToolCall.ToolCall
  /** The name of the tool that the sub-agent is. */
  readonly name: string
}

/**
 * What a person or a client answers.
 *
 * @category models
 */
export interface Answer {
  readonly request: DeferredCall
  readonly response: Response.Response
  /** Who gave it, as the program knows it: `decodeAnswer` takes it from no client. */
  readonly by?: By | undefined
}

/**
 * Who gave an answer, and by which way: a page, a queue, a command.
 *
 * @category models
 */
export interface By {
  readonly who: string
  readonly way?: string | undefined
}

/**
 * The secret that signs requests, or several: the first signs, and what any of
 * them has signed is taken. To change the secret, put the new one first, and
 * take the old one away when its requests have been answered or have expired.
 *
 * At least 16 bytes each, better 32 random ones; `sign` and `verify` die of a
 * shorter one, since it is the program that is set up wrongly.
 *
 * @category models
 */
export type Secrets = Redacted.Redacted | readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]

const DeferredCallJson = Schema.Struct({
  id: Schema.String,
  conversation: Schema.String,
  entry: Schema.String,
  call: CallJson,
  name: Schema.String,
  arguments: JsonObject,
  waitsFor: Schema.Literal("approval", "client", "input"),
  input: Schema.optional(InputJson),
  within: Schema.optional(Schema.Array(Schema.Struct({ call: CallJson, name: Schema.String }))),
  why: absent(Schema.String),
  digest: Schema.String,
  facts: FactsJson,
  description: absent(Schema.String),
  expiresAt: absent(Schema.JsonNumber),
  signature: absent(Schema.String)
})

/**
 * A request as it goes over a wire.
 *
 * @category models
 */
export type Encoded = typeof DeferredCallJson.Encoded

/**
 * Between a request and its JSON. What else an object has is left out.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent, DeferredCall } from "@wield/agent"
 * import { Approval, Toolset } from "@wield/core"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect, Schema } from "effect"
 *
 * const json = Schema.parseJson(Schema.Array(DeferredCall.DeferredCall))
 * const program = Effect.gen(function* () {
 *   const model = yield* ScriptedModel.make([ScriptedModel.call("pay"), ScriptedModel.text("Paid.")])
 *   const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.succeed("paid") }])
 *   const agent = yield* Agent.make({ model, toolset, policy: { approval: () => Approval.ask("it costs") } })
 *   const paused = yield* Agent.run(agent, "Pay 5.")
 *   if (paused._tag !== "Paused") return paused.text
 *   const stored = yield* Schema.encode(json)(paused.requests)
 *   const answers = (yield* Schema.decode(json)(stored)).map(DeferredCall.approve)
 *   return (yield* Agent.run(agent, { conversation: paused.conversation, answers })).text
 * })
 * Effect.runPromise(program).then((text) => assert.strictEqual(text, "Paid."))
 * ```
 *
 * @category schemas
 */
export const DeferredCall: Schema.Schema<DeferredCall, Encoded> = DeferredCallJson

/**
 * An answer as it goes over a wire.
 *
 * @category models
 */
export interface EncodedAnswer {
  readonly request: Encoded
  readonly response: typeof ResponseJson.Encoded
  readonly by?: typeof ByJson.Encoded | undefined
}

/**
 * Between an answer and its JSON.
 *
 * @category schemas
 */
export const Answer: Schema.Schema<Answer, EncodedAnswer> = Schema.Struct({
  request: DeferredCallJson.annotations({ parseOptions: { onExcessProperty: "ignore" } }),
  response: ResponseJson,
  by: Schema.optional(ByJson)
}).annotations({
  // In the wrong place, an edit would be lost, and run what a person has changed.
  parseOptions: { onExcessProperty: "error" }
})

/**
 * Reads an answer from a JSON value that came from outside. Fails with
 * `InvalidAnswer`, which has the place of what is wrong. Who gave it is left out:
 * the program says that, by `withBy`.
 *
 * @category decoding
 */
export const decodeAnswer = (json: unknown): Effect.Effect<Answer, InvalidAnswer> =>
  Effect.mapBoth(readAnswer(json), {
    onSuccess: ({ request, response }) => ({ request, response }),
    onFailure: invalid
  })

const readAnswer = Schema.decodeUnknown(Answer)

/**
 * The call may run, with the arguments as they are.
 *
 * @category answers
 */
export const approve = (request: DeferredCall): Answer => answer(request, Response.approve)

const answer = (request: DeferredCall, response: Answer["response"]): Answer => ({ request, response })

/**
 * The call may run, with these visible arguments in place of the model's. They
 * are checked like the model's own.
 *
 * @category answers
 */
export const approveWith = (request: DeferredCall, args: Json.JsonObject): Answer =>
  answer(request, Response.approveWith(args))

/**
 * The call may not run; the model reads the reason.
 *
 * @category answers
 */
export const deny = (request: DeferredCall, reason: string): Answer => answer(request, Response.deny(reason))

/**
 * The client executed the call; the value is encoded, as the tool's success
 * schema has it on the wire.
 *
 * @category answers
 */
export const result = (request: DeferredCall, encoded: unknown): Answer => answer(request, Response.result(encoded))

/**
 * The client could not execute the call; the failure is encoded, as the tool's
 * failure schema has it on the wire.
 *
 * @category answers
 */
export const failure = (request: DeferredCall, encoded: unknown): Answer => answer(request, Response.failure(encoded))

/**
 * The reply to what the call's handler asks. It has to fit `input.accepts`, a
 * JSON Schema.
 *
 * @category answers
 */
export const reply = (request: DeferredCall, value: Json.Json): Answer => answer(request, Response.reply(value))

/**
 * The call of the conversation that waits: where a sub-agent's call waits, the one that runs the sub-agent.
 *
 * @category accessors
 */
export const callOf = ({ call, within }: Pick<DeferredCall, "call" | "within">): ToolCall.ToolCall =>
  within?.[0]?.call ?? call

/**
 * The request for a call that waits. Of which conversation and turn it is, an agent
 * says that gives it out.
 *
 * @category constructors
 */
export const fromOutcome = (deferred: Outcome.Deferred, description?: string): DeferredCall => ({
  id: deferred.requestId,
  conversation: "",
  entry: "",
  call: deferred.call,
  name: deferred.name,
  // Deferred arguments were parsed, so that they are JSON, and an object.
  arguments: deferred.arguments as DeferredCall["arguments"],
  waitsFor: deferred.waitsFor,
  ...(deferred.input === undefined ? {} : { input: deferred.input }),
  why: deferred.why,
  digest: deferred.digest,
  facts: deferred.facts,
  description,
  expiresAt: undefined,
  signature: undefined
})

/**
 * The answer, and who gave it: the conversation keeps both, and `Audit` tells them.
 *
 * @category answers
 */
export const withBy = (answer: Answer, by: By): Answer => ({ ...answer, by })

/**
 * Who gave an answer, as one text: `ada@example.com (page)`.
 *
 * @category rendering
 */
export const nameOf = ({ way, who }: By): string => (way === undefined ? who : `${who} (${way})`)

/**
 * The request with its signature, over everything else that it has. Signed
 * requests can go through a browser or a queue and come back: what was changed
 * on the way is noticed.
 *
 * @category signing
 */
export const sign = (secrets: Secrets, request: DeferredCall): Effect.Effect<DeferredCall> =>
  Effect.suspend(() => {
    const keys = keysOf(secrets)
    return keys instanceof Error
      ? Effect.die(keys)
      : Effect.succeed({ ...request, signature: signatureOf(keys[0], request) })
  })

/**
 * Succeeds when one of the secrets has signed the request as it is and it has
 * not expired. Fails with `TamperedRequest` or `ExpiredRequest`.
 *
 * @category signing
 */
export const verify = (
  secrets: Secrets,
  request: DeferredCall
): Effect.Effect<void, TamperedRequest | ExpiredRequest> =>
  Effect.suspend((): Effect.Effect<void, TamperedRequest | ExpiredRequest> => {
    const keys = keysOf(secrets)
    if (keys instanceof Error) return Effect.die(keys)
    const { signature } = request
    if (signature === undefined) return new TamperedRequest({ ...idsOf(request), signature: "missing" })
    return isSigned(keys, request, signature)
      ? checkExpiry(request)
      : new TamperedRequest({ ...idsOf(request), signature: "wrong" })
  })

/**
 * Fails with `ExpiredRequest` when the request can no longer be answered.
 *
 * @category signing
 */
export const checkExpiry = (request: DeferredCall): Effect.Effect<void, ExpiredRequest> => {
  // Without types, it may be no time: that has passed.
  const until: unknown = request.expiresAt
  const expiresAt = typeof until === "number" && !Number.isNaN(until) ? until : -1
  return until === undefined
    ? Effect.void
    : Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now > expiresAt ? new ExpiredRequest({ ...idsOf(request), expiresAt, now }) : Effect.void
      )
}

/** @internal */
export const idsOf = ({ call, conversation, entry }: Pick<DeferredCall, "call" | "conversation" | "entry">) => ({
  conversation,
  entry,
  call: call.id
})

/** Whatever else the secret signs, it never signs a text that begins like this. */
const domain = "wield/deferred-call/1\n"

/** Bytes. With one request, a shorter secret can be found by trying. */
const shortest = 16

/** A program that is set up wrongly: it must not run with signatures that anyone can make. */
class WeakSecret extends Error {
  override readonly name = "WeakSecret"
  constructor() {
    super(
      `A secret that signs deferred calls is shorter than ${shortest} bytes: give one of 32 random bytes, and look whether the setting it comes from is there`
    )
  }
}

/** The keys of the secrets, or what is wrong with them. */
const keysOf = (secrets: Secrets): readonly [Uint8Array, ...ReadonlyArray<Uint8Array>] | WeakSecret => {
  const all = Redacted.isRedacted(secrets) ? [secrets] : secrets
  orThrow(areSecrets(all), "What signs deferred calls")
  const keys = all.map((secret) => utf8ToBytes(Redacted.value(secret)))
  const [first, ...others] = keys
  return first === undefined || keys.some((key) => key.length < shortest) ? new WeakSecret() : [first, ...others]
}

const signatureOf = (key: Uint8Array, request: DeferredCall): string => {
  const { signature: _, ...signed } = request
  return bytesToHex(hmac(sha256, key, utf8ToBytes(domain + canonical(signed))))
}

/** Whether one of the keys has signed; all of them are tried, so that the time does not tell which. */
const isSigned = (keys: ReadonlyArray<Uint8Array>, request: DeferredCall, signature: string): boolean => {
  let isOne = false
  for (const key of keys) isOne = areEqual(signatureOf(key, request), signature) || isOne
  return isOne
}

/** In a time that depends on the length only, which is no secret. */
const areEqual = (expected: string, received: string): boolean => {
  if (expected.length !== received.length) return false
  let difference = 0
  for (let index = 0; index < expected.length; index++) {
    difference |= expected.charCodeAt(index) ^ received.charCodeAt(index)
  }
  return difference === 0
}
