/**
 * A web server with a chat, and a runner of its cluster: `durableServer.ts PATH PORT STOP`. It says its address, and
 * "reached" where it stops: before or after the effect of its tool, or in the middle of its answer.
 */
import { appendFileSync } from "node:fs"
import { Pages } from "@wield/chat"
import { WebServer } from "@wield/http"
import { Effect } from "effect"
import { inCluster, makeChat, Shop } from "./durableShop.js"

const [path = "", port = "0", stop = ""] = process.argv.slice(2)

const at = (place: string) =>
  stop === place
    ? Effect.zipRight(
        Effect.sync(() => console.log("reached")),
        Effect.never
      )
    : Effect.void

appendFileSync(`${path}.paid`, "")
const pay = Effect.gen(function* () {
  yield* at("before the effect")
  yield* Effect.sync(() => appendFileSync(`${path}.paid`, "5\n"))
  yield* at("after the effect")
})

const program = Effect.gen(function* () {
  const chat = yield* makeChat(yield* Shop.client)
  const listening = yield* WebServer.listen(Pages.handler(chat, { version: 7 }), {
    host: "127.0.0.1",
    port: Number(port)
  })
  yield* Effect.sync(() => console.log(`http://127.0.0.1:${listening}`))
  return yield* Effect.never
}).pipe(Effect.scoped, Effect.provide(inCluster(path, { wait: at("in the answer"), pay })))

await Effect.runPromise(program)
