import { once } from "node:events"
import { connect } from "node:net"
import { expect, it } from "@effect/vitest"
import { WebServer } from "@wield/http"
import { Effect } from "effect"

it.scopedLive("A connection that asks for nothing more is closed, as Node closes it", () =>
  Effect.gen(function* () {
    const port = yield* WebServer.listen(async () => new Response("here"), { host: "127.0.0.1", port: 0 })
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => connect(port, "127.0.0.1")),
      (socket) => Effect.sync(() => socket.destroy())
    )
    let text = ""
    socket.setEncoding("utf8").on("data", (piece: string) => (text += piece))
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    yield* Effect.promise(() => once(socket, "close"))
    expect(text).toContain("here")
  })
)
