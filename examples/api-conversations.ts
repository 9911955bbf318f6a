/** Conversations kept by an API of the application's own: two entries of a manifest save and read the messages. */
import { ConversationStore, Conversation } from "@wield/agent"
import { HttpGuard } from "@wield/http"
import { Manifest, RestExecutor } from "@wield/manifest"
import * as ApiConversationStore from "@wield/manifest/ApiConversationStore"
import { Console, Effect, Layer } from "effect"
import { createServer } from "node:http"

/** The API: an application that has its users' messages in its own database. */
const rows = new Map<string, Array<unknown>>()
const http = createServer((request, response) => {
  const user = /^\/users\/([^/?]+)\/messages/.exec(request.url ?? "")?.[1] ?? ""
  const own = rows.get(user) ?? []
  rows.set(user, own)
  let body = ""
  request.on("data", (piece) => (body += piece))
  request.on("end", () => {
    if (request.method === "POST") own.push(JSON.parse(body))
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(request.method === "POST" ? { saved: own.length } : own))
  })
})

const server = Effect.acquireRelease(
  Effect.async<string>((resume) => {
    http.listen(0, "127.0.0.1", () => {
      const address = http.address()
      resume(Effect.succeed(`127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`))
    })
  }),
  () => Effect.sync(() => http.close().closeAllConnections())
)

/** No model is offered these two. */
const file = (host: string) => `
apis: { type: rest, url: "http://${host}" }
tools:
  - type: api
    function: { name: InternalSaveChatMessage }
    context: [userid]
    api: { path: "/users/{userid}/messages", method: POST }
  - type: api
    function: { name: InternalGetChatMessages }
    context: [userid]
    api: { path: "/users/{userid}/messages?limit={limit}", method: GET }
`

/** What a program does with any store: go on where the user left off. */
const say = (text: string) =>
  Effect.gen(function* () {
    const store = yield* ConversationStore.ConversationStore
    const conversation = yield* store.openOrCreate("ada")
    const before = yield* conversation.entries
    yield* conversation.append([yield* Conversation.entry(Conversation.user(text))], before.at(-1)?.id)
    yield* Console.log(`${before.length} messages were there; said: ${text}`)
  })

const program = Effect.gen(function* () {
  const host = yield* server
  const manifest = yield* Manifest.parse(file(host))
  const store = ApiConversationStore.layer(manifest, { factories: [RestExecutor.factory], limit: 50 }).pipe(
    Layer.provide(HttpGuard.layer({ allowedHosts: [host] }))
  )
  yield* Effect.provide(Effect.zipRight(say("Where is my order?"), say("It was due on Monday.")), store)
  yield* Console.log(rows.get("ada"))
})

await Effect.runPromise(Effect.scoped(program))
