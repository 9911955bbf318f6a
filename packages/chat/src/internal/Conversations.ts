/** The conversations of users. Whose each is, and what it was asked, stands in its metadata. */
import type * as Conversation from "@wield/agent/Conversation"
import type { ConversationNotFound, StoreError } from "@wield/agent/ConversationError"
import type { Service } from "@wield/agent/ConversationStore"
import * as DeferredCall from "@wield/agent/DeferredCall"
import * as WaitingCalls from "@wield/agent/WaitingCalls"
import type { Content } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Refused } from "../ChatError.js"
import { refuseStore, unknown } from "./refuse.js"

type Requests = ReadonlyArray<DeferredCall.DeferredCall>

/** A conversation as it is when something is asked of it. */
export interface State {
  readonly opened: Conversation.Conversation<StoreError>
  readonly entries: ReadonlyArray<Conversation.Entry>
  /** What it was asked, answered or not. */
  readonly requests: Requests
}

export const ownerOf = (user: string): Json.JsonObject => ({ [metadataKey]: { user, requests: [] } })

const metadataKey = "chat"

/** How much is kept of requests that were answered, so that an answer that comes twice is known. */
const kept = { requests: 100, characters: 200_000 }

export class Conversations {
  constructor(private readonly store: Service) {}

  /** Fails unless the conversation is the user's; a first message makes it. */
  claim(
    conversation: string,
    user: string,
    message: ReadonlyArray<Content.Part> | undefined
  ): Effect.Effect<void, Refused> {
    const title = titleOf(message ?? [])
    const named = title === "" ? {} : { title }
    const made =
      message === undefined
        ? Effect.void
        : this.store.create({ id: conversation, metadata: ownerOf(user), ...named }).pipe(
            // One that is there is looked at below.
            Effect.catchTag("ConversationExists", () => Effect.void),
            refuseStore
          )
    return Effect.zipRight(made, Effect.asVoid(this.requests(conversation, user)))
  }

  /** What was asked in the conversation; fails unless it is the user's. */
  requests(conversation: string, user: string): Effect.Effect<Requests, Refused> {
    return Effect.flatMap(this.store.summary(conversation), ({ metadata }) => {
      const meta = metadata[metadataKey]
      return Json.isObject(meta) && meta["user"] === user ? requestsOf(meta["requests"]) : unknown(conversation)
    }).pipe(refuseStore)
  }

  open(conversation: string, user: string): Effect.Effect<State, Refused> {
    return Effect.flatMap(this.requests(conversation, user), (requests) =>
      Effect.flatMap(this.store.open(conversation), (opened) =>
        Effect.map(opened.entries, (entries) => ({ opened, entries, requests }))
      )
    ).pipe(refuseStore)
  }

  /** For those who have shown whose it is. */
  entries(conversation: string): Effect.Effect<ReadonlyArray<Conversation.Entry>, ConversationNotFound | StoreError> {
    return Effect.flatMap(this.store.open(conversation), ({ entries }) => entries)
  }

  /** Takes away what stands after an entry. */
  truncate(conversation: string, after: string | undefined): Effect.Effect<void, Refused> {
    return refuseStore(Effect.asVoid(this.store.truncate(conversation, after)))
  }

  /** Keeps what waits, for other pages, other processes and the studio. */
  remember(conversation: string, waiting: Requests): Effect.Effect<void, ConversationNotFound | StoreError> {
    const store = this.store
    return Effect.gen(function* () {
      if (waiting.length > 0) {
        // Read again: the program may have changed it during the run.
        const { metadata } = yield* store.summary(conversation)
        const meta = metadata[metadataKey]
        const known = Json.isObject(meta) ? Json.fromObject(meta) : {}
        const before = yield* requestsOf(known["requests"])
        const past = before.filter(({ id }) => waiting.every((one) => one.id !== id))
        yield* store.update(conversation, {
          metadata: { ...metadata, [metadataKey]: { ...known, requests: encodeKept(past, waiting) } }
        })
      }
      yield* WaitingCalls.remember(store, conversation, waiting)
    })
  }
}

const requestsOf = (json: unknown): Effect.Effect<Requests> => Effect.orElseSucceed(decodeRequests(json), () => [])

const decodeRequests = Schema.decodeUnknown(Schema.Array(DeferredCall.DeferredCall))

/** All that waits, and of what did, the last, as many as there is room for. */
const encodeKept = (past: Requests, waiting: Requests): Json.Json => {
  const texts = waiting.map(textOf)
  let room = kept.characters
  for (const request of past.slice(-kept.requests).reverse()) {
    const text = textOf(request)
    room -= text.length
    if (room < 0) break
    texts.unshift(text)
  }
  return JSON.parse(`[${texts.join(",")}]`)
}

/** Requests are JSON; `undefined` fields go. */
const textOf = (request: DeferredCall.DeferredCall): string => JSON.stringify(encodeRequest(request))

const encodeRequest = Schema.encodeSync(DeferredCall.DeferredCall)

const titleOf = (content: ReadonlyArray<Content.Part>): string =>
  content
    .flatMap((part) => (part._tag === "Text" ? [part.text] : []))
    .join(" ")
    .slice(0, 80)
