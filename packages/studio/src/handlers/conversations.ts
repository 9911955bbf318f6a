import * as Json from "@wield/core/Json"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type { Conversation as CoreConversation, ConversationStore } from "@wield/agent"
import * as DeferredCall from "@wield/agent/DeferredCall"
import * as WaitingCalls from "@wield/agent/WaitingCalls"
import type { Content, Message } from "@wield/core"
import * as ToolResult from "@wield/core/ToolResult"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import { Api, type Conversation, type Entry, type Failed, type NotFound, type Part } from "../Api.js"
import { encodeCall } from "../recorder/encode.js"
import { failureOf, notFound, type Parts } from "./parts.js"

/** How many titles are known at once. */
const mostTitles = 1000

/** The first thing that a person said in a conversation: it is read once, and stays. */
export const makeTitles = (store: ConversationStore.Service): Parts["titleOf"] => {
  const titles = new Map<string, string>()
  return (id) =>
    Effect.gen(function* () {
      const known = titles.get(id)
      if (known !== undefined) return known
      for (const { message } of yield* (yield* store.open(id)).entries) {
        if (message._tag !== "User") continue
        const said = message.content.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join(" ")
        if (said.trim() === "") continue
        const title = said.trim().slice(0, 200)
        if (titles.size === mostTitles) titles.delete(titles.keys().next().value ?? "")
        titles.set(id, title)
        return title
      }
      return undefined
    }).pipe(Effect.orElseSucceed(() => undefined))
}

export const conversationsHandlers = (parts: Parts) => {
  const { changed, store, titleOf } = parts
  const conversationOf = (summary: ConversationStore.Summary): Effect.Effect<Conversation> =>
    Effect.gen(function* () {
      const { changedAt, createdAt, id, length } = summary
      const title = summary.title ?? (yield* titleOf(id))
      const waiting = (yield* WaitingCalls.of(summary)).length
      return Json.withoutUndefined({ id, title, createdAt, changedAt, length, waiting })
    })
  return HttpApiBuilder.group(Api, "conversations", (handlers) =>
    handlers
      .handle("list", ({ urlParams: { from, limit = 50, query } }) =>
        Effect.gen(function* () {
          const page = yield* store.list({ from, query, limit: Math.min(limit, 200) })
          return {
            conversations: yield* Effect.forEach(page.conversations, conversationOf),
            ...(page.next === undefined ? {} : { next: page.next })
          }
        }).pipe(Effect.mapError(failureOf))
      )
      .handle("get", ({ path: { id } }) =>
        Effect.gen(function* () {
          const conversation = yield* store.open(id)
          return {
            conversation: yield* conversationOf(yield* store.summary(id)),
            entries: (yield* conversation.entries).map(entryOf)
          }
        }).pipe(Effect.mapError((error) => missingOr(error, id)))
      )
      .handle("fork", ({ path: { id }, payload: { at } }) =>
        Effect.gen(function* () {
          const fork = yield* store.fork(id, at === undefined ? {} : { at })
          // What waited in the other conversation is answered there.
          yield* WaitingCalls.remember(store, fork.id, [])
          const title = (yield* store.summary(id)).title ?? (yield* titleOf(id))
          if (title !== undefined) {
            yield* store.update(fork.id, { title: title.startsWith("Fork of ") ? title : `Fork of ${title}` })
          }
          yield* PubSub.publish(changed, "conversations")
          return yield* conversationOf(yield* store.summary(fork.id))
        }).pipe(Effect.mapError((error) => missingOr(error, id)))
      )
  )
}

const missingOr = (error: { readonly _tag: string; readonly message: string }, id: string): NotFound | Failed => {
  switch (error._tag) {
    case "ConversationNotFound":
      return notFound("conversation", id)
    case "EntryNotFound":
      return notFound("entry in the conversation", id)
    default:
      return failureOf(error)
  }
}

const entryOf = ({ at, decisions = [], ends, id, message, summaryOf, turn }: CoreConversation.Entry): Entry => ({
  id,
  at,
  role: summaryOf === undefined ? roles[message._tag] : "summary",
  parts: [...decisions.map(answerOf), ...partsOf(message, ends)],
  ...(turn?.model === undefined ? {} : { model: turn.model }),
  ...(turn === undefined ? {} : { usage: Json.withoutUndefined(turn.usage) })
})

const answerOf = ({ arguments: edited, at, by, call, reason, response }: CoreConversation.Decision): Part => ({
  _tag: "Answer",
  call,
  reply: edited === undefined ? response : "ApproveWith",
  at,
  ...Json.withoutUndefined({ who: by && DeferredCall.nameOf(by), reason, arguments: edited })
})

const roles = { System: "system", User: "user", Assistant: "assistant", Results: "results" } as const

const partsOf = (message: Message.Message, ends: CoreConversation.Entry["ends"]): ReadonlyArray<Part> => {
  switch (message._tag) {
    case "System":
      return [{ _tag: "Text", text: message.text }]
    case "User":
      return message.content.map(contentOf)
    case "Assistant":
      return message.parts.map((part) =>
        part._tag === "Call"
          ? { _tag: "Call", call: encodeCall(part.call), executedBy: part.executedBy }
          : { _tag: part._tag, text: part.text }
      )
    case "Results":
      return message.results.map((result, place) => ({
        _tag: "Result",
        id: result.id,
        name: result.name,
        isError: result.isError,
        outcome: ends?.[place] ?? (result.isError ? "Failure" : "Success"),
        text: ToolResult.toText(result)
      }))
  }
}

const contentOf = (part: Content.Part): Part => {
  switch (part._tag) {
    case "Text":
      return { _tag: "Text", text: part.text }
    case "JsonValue":
      return { _tag: "Text", text: JSON.stringify(part.value) ?? "null" }
    case "Image":
    case "File":
      return {
        _tag: part._tag,
        mediaType: part.mediaType,
        ...(part.source._tag === "Base64" ? { data: part.source.data } : { url: part.source.url })
      }
  }
}
