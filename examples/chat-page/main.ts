/**
 * A tea shop with a chat page: React, `useChat` of the AI SDK, and an agent behind it. `pnpm chat-page` keeps it open and
 * prints its address; without `--stay` it asks itself for a receipt and ends. No key is needed.
 */
import * as assert from "node:assert/strict"
import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node"
import { ConversationStore } from "@wield/agent"
import { Console, Effect } from "effect"
import { serveShop } from "./server.js"

const { values: flags } = parseArgs({
  options: { port: { type: "string", default: "0" }, stay: { type: "boolean", default: false } }
})

/** What a page does: it gets its cookie, and asks. */
const tryOut = async (url: string) => {
  const page = await fetch(url)
  const cookie = page.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "The receipt of A2, please" }] }]
  const response = await fetch(new URL("/api/chat", url), {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify({ id: crypto.randomUUID(), messages })
  })
  assert.match(await response.text(), /"type":"file","mediaType":"image\/svg\+xml"/)
}

const program = Effect.gen(function* () {
  if (flags.stay) {
    const { url } = yield* serveShop({ pace: Effect.sleep("40 millis"), port: Number(flags.port) })
    yield* Console.log(`The shop is at ${url}`)
    return yield* Effect.never
  }
  const { url } = yield* serveShop()
  yield* Effect.promise(() => tryOut(url))
  yield* Console.log("The shop has drawn a receipt. pnpm chat-page keeps it open")
}).pipe(Effect.scoped, Effect.provide(ConversationStore.layerMemory))

NodeRuntime.runMain(program)
