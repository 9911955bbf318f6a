import * as Json from "@wield/core/Json"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type { DeferredCall } from "@wield/agent"
import * as WaitingCalls from "@wield/agent/WaitingCalls"
import type { Response, Toolset } from "@wield/core"
import * as Outcome from "@wield/core/Outcome"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import {
  Api,
  type Answered,
  type Approval,
  Conflict,
  type Failed,
  type Happening,
  type Refused,
  type Reply,
  type Run
} from "../Api.js"
import type { Item } from "../Inbox.js"
import { encodeCall } from "../recorder/encode.js"
import { failureOf, notFound, offerOf, type Parts, theUser } from "./parts.js"
import { factsOf, refusalOf, responseOf } from "./tools.js"
import * as PubSub from "effect/PubSub"

export const approvalsHandlers = (parts: Parts) =>
  HttpApiBuilder.group(Api, "approvals", (handlers) =>
    handlers
      .handle("list", () =>
        Effect.gen(function* () {
          const { entries } = yield* offerOf(parts)
          const waiting = yield* itemsOf(parts)
          const runs = yield* parts.recorder.runs
          const approvals = yield* Effect.forEach(waiting, ([id, item]) =>
            Effect.map(nameOf(parts, item.from), (name) => approvalOf(id, item, name, entries, runs))
          )
          return { approvals }
        })
      )
      .handle("decisions", () => Effect.map(parts.recorder.decisions, (decisions) => ({ decisions })))
      .handle("answer", ({ path: { id }, payload: { digest, reply } }) =>
        Effect.gen(function* () {
          const item = (yield* itemsOf(parts)).get(id)
          if (item === undefined) return yield* notFound("call that waits under", id)
          const { request } = item
          if (request.digest !== digest) {
            return yield* new Conflict({ message: "The call is another one than was shown: look at it again" })
          }
          const at = yield* Clock.currentTimeMillis
          if (request.expiresAt !== undefined && at > request.expiresAt) {
            return yield* new Conflict({ message: "The call could be answered until an earlier time: run it again" })
          }
          // Before the answer begins another run of the conversation.
          const asked = runOf(item.from, yield* parts.recorder.runs)
          const answered = yield* item.answer(responseOf(reply))
          yield* parts.recorder.answer({
            id,
            at,
            asked,
            run: answered.run,
            conversation: item.from.conversation,
            answer: answerOf(request, reply)
          })
          yield* PubSub.publish(parts.changed, "approvals")
          return answered
        })
      )
  )

/** What the inbox holds, and what waits in conversations. */
const itemsOf = (parts: Parts): Effect.Effect<ReadonlyMap<string, Item>, Failed> =>
  Effect.gen(function* () {
    const conversations = yield* Effect.mapError(WaitingCalls.conversations(parts.store), failureOf)
    const sessions = new Map((yield* parts.playground.sessions).map((session) => [session.conversation, session]))
    const items = new Map(yield* parts.inbox.items)
    for (const summary of conversations) {
      for (const request of yield* WaitingCalls.of(summary)) {
        const session = sessions.get(summary.id)
        items.set(request.id, {
          request,
          from: {
            kind: session === undefined ? "store" : "playground",
            name: summary.title ?? "",
            conversation: summary.id,
            ...(session?.run === undefined ? {} : { run: session.run })
          },
          askedAt: summary.changedAt,
          answer: (response) => answerConversation(parts, request, response)
        })
      }
    }
    return items
  })

const answerConversation = (
  { changed, playground }: Parts,
  request: DeferredCall.DeferredCall,
  response: Response.Response
): Effect.Effect<Answered, Conflict | Refused | Failed> =>
  playground.answer(request.conversation, [{ request, response, by: theUser }]).pipe(
    Effect.mapBoth({
      onSuccess: (run) => ({ run }),
      onFailure: refusalOf
    }),
    Effect.tap(() => PubSub.publish(changed, "approvals"))
  )

const answerOf = (
  { arguments: args, call, waitsFor, why }: Item["request"],
  reply: Reply
): Extract<Happening, { readonly _tag: "CallAnswered" }> => ({
  _tag: "CallAnswered",
  call: encodeCall({ ...call, arguments: { ...args } }),
  waitsFor,
  ...(why === undefined ? {} : { why }),
  reply: reply._tag,
  ...(reply._tag === "Deny" ? { reason: reply.reason } : {}),
  ...(reply._tag === "ApproveWith" ? { value: reply.arguments } : "value" in reply ? { value: reply.value } : {}),
  by: theUser
})

/** A conversation is called by its title, or by the first thing that a person said in it. */
const nameOf = ({ titleOf }: Parts, { conversation, kind, name }: Item["from"]): Effect.Effect<string> =>
  conversation === undefined || (kind !== "agent" && kind !== "call" && name !== "")
    ? Effect.succeed(name)
    : Effect.map(titleOf(conversation), (title) => title ?? conversation)

/** The run that asks: of a conversation, its last one. */
const runOf = ({ conversation, run }: Approval["from"], runs: ReadonlyArray<Run>): string | undefined =>
  run ?? (conversation === undefined ? undefined : runs.find((one) => one.conversation === conversation)?.id)

const approvalOf = (
  id: string,
  { askedAt, from, request }: Item,
  asker: string,
  entries: ReadonlyMap<string, Toolset.Entry>,
  runs: ReadonlyArray<Run>
): Approval => {
  const { arguments: args, call, description, digest, expiresAt, facts, input, name, waitsFor, why } = request
  const definition = entries.get(name)?.definition
  const run = runOf(from, runs)
  return Json.withoutUndefined({
    id,
    tool: name,
    description,
    call: encodeCall(call),
    arguments: { ...args },
    inputSchema: definition && { ...definition.inputSchema },
    waitsFor,
    input: input && Outcome.inputToJson(input),
    why,
    digest,
    facts: factsOf(facts),
    from: { ...from, name: asker, ...(run === undefined ? {} : { run }) },
    askedAt,
    expiresAt
  })
}
