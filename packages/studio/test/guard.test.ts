/** Attacks on a studio that listens, by raw requests. */
import { connect } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { ToolCall } from "@wield/core"
import { Recorder, Studio } from "@wield/studio"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { causeOf, untyped } from "../../../test/untyped.js"
import { hostileName, makeShop, type Shop, token, until, viewer } from "./shop.js"

const serve = (shop: Shop, options: Studio.ListenOptions = {}) =>
  Effect.gen(function* () {
    const { port, url } = yield* Studio.serve({ ...shop.options, ...options })
    return { port, url: Redacted.value(url) }
  })

/** Sends these lines as they are, and gives the whole response. */
const sendRaw = (port: number, lines: ReadonlyArray<string>, body = ""): Effect.Effect<string> =>
  Effect.async((resume) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`${lines.join("\r\n")}\r\nConnection: close\r\n\r\n${body}`)
    )
    let text = ""
    socket.on("data", (data) => (text += data.toString("latin1")))
    socket.on("close", () => resume(Effect.succeed(text)))
    socket.on("error", () => socket.destroy())
  })

const statusOf = (response: string): number => Number(response.slice(9, 12))

const authorization = `Authorization: Bearer ${token}`

describe("A studio that listens", () => {
  it.scopedLive("refuses foreign hosts and origins for every path, and requests without the token", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(yield* makeShop())
      const get = (path: string, ...headers: ReadonlyArray<string>) =>
        Effect.map(sendRaw(port, [`GET ${path} HTTP/1.1`, ...headers]), statusOf)
      const own = `Host: 127.0.0.1:${port}`
      for (const path of ["/", "/studio.js", "/api/about", "/api/events", "/nothing"]) {
        expect(yield* get(path, "Host: rebound.example", authorization)).toBe(421)
        expect(yield* get(path, `Host: rebound.example:${port}`, authorization)).toBe(421)
        expect(yield* get(path, "Host: localhost:99999", authorization, "Origin: http://localhost")).toBe(421)
        expect(yield* get(path, own, authorization, "Origin: http://evil.example")).toBe(403)
        expect(yield* get(path, own, authorization, "Origin: null")).toBe(403)
        expect(yield* get(path, own, authorization, `Origin: http://127.0.0.1:${port + 1}`)).toBe(403)
      }
      expect(yield* get("/api/about", own)).toBe(401)
      expect(yield* get("/api/about", own, "Authorization: Bearer ")).toBe(401)
      expect(yield* get("/api/about", own, `${authorization}x`)).toBe(401)
      expect(yield* get(`/api/about?token=${token}`, own)).toBe(401)
      expect(yield* get("/api/about", own, `Cookie: token=${token}`)).toBe(401)
      expect(yield* get("/api/openapi.json", own)).toBe(401)
      expect(yield* get("/api/about", own, authorization)).toBe(200)
      expect(yield* get("/api/about", own, authorization, `Origin: http://127.0.0.1:${port}`)).toBe(200)
      expect(yield* get("/api/about", `Host: localhost:${port}`, authorization)).toBe(200)
      expect(yield* get("/api/about", `Host: [::1]:${port}`, authorization)).toBe(200)
      expect(yield* get("//evil.example/api/about", own)).toBe(404)
      expect(yield* get("/../package.json", own)).toBe(404)
      expect(yield* get("/%2e%2e/package.json", own)).toBe(404)
    })
  )

  it.scopedLive("forbids frames, foreign readers and caches by its headers, and gives no CORS headers", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(yield* makeShop())
      for (const path of ["/", "/api/about", "/nothing"]) {
        const response = (yield* sendRaw(port, [
          `GET ${path} HTTP/1.1`,
          `Host: localhost:${port}`,
          authorization
        ])).toLowerCase()
        const head = response.slice(0, response.indexOf("\r\n\r\n"))
        expect(head).toContain("x-frame-options: deny")
        expect(head).toContain("frame-ancestors 'none'")
        expect(head).toContain("default-src 'none'")
        expect(head).toContain("require-trusted-types-for 'script'")
        expect(head).toContain("x-content-type-options: nosniff")
        expect(head).toContain("referrer-policy: no-referrer")
        expect(head).toContain("cross-origin-resource-policy: same-origin")
        expect(head).not.toContain("access-control-")
        expect(head).not.toContain("set-cookie")
        if (path !== "/") expect(head).toContain("cache-control: no-store")
      }
      const preflight = yield* sendRaw(port, [
        "OPTIONS /api/tools/refund/call HTTP/1.1",
        `Host: localhost:${port}`,
        "Origin: http://evil.example",
        "Access-Control-Request-Method: POST"
      ])
      expect(statusOf(preflight)).toBe(403)
    })
  )

  it.scopedLive("takes JSON of a megabyte at most, and runs nothing of other bodies", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const { port } = yield* serve(shop)
      const post = (type: string, body: string, ...headers: ReadonlyArray<string>) =>
        Effect.map(
          sendRaw(
            port,
            [
              "POST /api/tools/find_orders/call HTTP/1.1",
              `Host: localhost:${port}`,
              authorization,
              `Content-Type: ${type}`,
              ...headers
            ],
            body
          ),
          statusOf
        )
      const ok = JSON.stringify({ arguments: { text: "a" } })
      const length = (body: string) => `Content-Length: ${body.length}`
      expect(yield* post("application/json", ok, length(ok))).toBe(200)
      expect(yield* post("text/plain", ok, length(ok))).toBe(415)
      expect(yield* post("application/x-www-form-urlencoded", ok, length(ok))).toBe(415)
      expect(yield* post("application/json", "{", "Content-Length: 1")).toBe(400)
      const large = JSON.stringify({ arguments: { text: "x".repeat(1024 * 1024) } })
      expect(yield* post("application/json", large, length(large))).toBe(413)
      const chunked = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`
      expect(yield* post("application/json", chunked, "Transfer-Encoding: chunked")).toBe(413)
      expect(yield* post("application/json", "[1]", "Content-Length: 3")).toBe(400)
      const deep = `{"arguments":{"text":${"[".repeat(300_000)}${"]".repeat(300_000)}}}`
      expect(yield* post("application/json", deep, `Content-Length: ${deep.length}`)).toBe(400)
      expect(yield* shop.recorder.runs).toHaveLength(1)
    })
  )

  it.scopedLive("lets the bearer of the second token look, and change nothing", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const arguments_ = { arguments: { text: "a" } }
      expect((yield* shop.send("GET", "/api/about", undefined, viewer)).json.isReadOnly).toBe(true)
      expect((yield* shop.send("POST", "/api/tools/find_orders/preview", arguments_, viewer)).status).toBe(200)
      expect((yield* shop.send("POST", "/api/toolsets/draft", { functions: [] }, viewer)).status).toBe(200)
      const changing: ReadonlyArray<readonly [string, string, object | undefined]> = [
        ["POST", "/api/tools/find_orders/call", arguments_],
        ["POST", "/api/toolsets/activate", { conversation: "c", name: "none" }],
        ["PUT", "/api/toolsets/mine", { functions: ["refund"] }],
        ["DELETE", "/api/toolsets/mine", undefined],
        ["POST", "/api/runs/import", {}],
        ["POST", "/api/events", {}],
        ["POST", "/api/approvals/1", {}],
        ["POST", "/api/playground", { model: "scripted" }],
        ["POST", "/api/conversations/1/fork", {}]
      ]
      for (const [method, path, body] of changing) {
        const { json, status } = yield* shop.send(method, path, body, viewer)
        expect([status, json._tag]).toEqual([403, "ReadOnly"])
      }
      const readOnly = yield* makeShop({ isReadOnly: true })
      expect((yield* readOnly.post("/api/tools/find_orders/call", arguments_)).status).toBe(403)
    })
  )

  it.scopedLive("listens to all interfaces only when asked, and to 127.0.0.1 otherwise", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      for (const host of ["0.0.0.0", "::", ""]) {
        const error = yield* Effect.flip(serve(shop, { host }))
        expect(error._tag).toBe("InvalidStudio")
      }
      const { port, url } = yield* serve(shop)
      expect(url).toBe(`http://127.0.0.1:${port}/#${token}`)
      const taken = yield* Effect.flip(serve(shop, { port }))
      expect(taken).toMatchObject({ _tag: "ListenFailed", message: expect.stringContaining(`The port ${port} of`) })
    })
  )

  it.scopedLive("serves its page without a token, and finds tools of hostile names", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(yield* makeShop())
      const page = yield* sendRaw(port, ["GET / HTTP/1.1", `Host: localhost:${port}`])
      expect(statusOf(page)).toBe(200)
      expect(page).toContain("<!doctype html>")
      expect(page).not.toContain(token)
      const path = `/api/tools/${encodeURIComponent(hostileName)}`
      const tool = yield* sendRaw(port, [`GET ${path} HTTP/1.1`, `Host: localhost:${port}`, authorization])
      expect(statusOf(tool)).toBe(200)
      expect(tool.toLowerCase()).toContain("content-type: application/json")
    })
  )

  it.scopedLive("works below a prefix of another server", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const { dispose, handler } = yield* Studio.toWebHandler({ ...shop.options, prefix: "/studio" })
      const get = (path: string, host = "localhost:3000") =>
        Effect.promise(() =>
          handler(new Request(`http://localhost:3000${path}`, { headers: { host, authorization: `Bearer ${token}` } }))
        )
      expect((yield* get("/studio/api/about")).status).toBe(200)
      expect((yield* get("/studio/")).headers.get("content-type")).toContain("text/html")
      expect((yield* get("/studio")).headers.get("location")).toBe("/studio/")
      expect((yield* get("/studio/api/about", "evil.example")).status).toBe(421)
      yield* Effect.promise(dispose)
    })
  )

  it.scopedLive("takes events of another process once, in their order", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const { port } = yield* serve(shop)
      yield* Recorder.calls({ name: "nightly" }, () => Effect.void).pipe(
        Effect.provide(
          Recorder.layerRemote({ url: `http://127.0.0.1:${port}/`, token: Redacted.make(token), origin: "night" })
        )
      )
      expect(yield* shop.recorder.runs).toMatchObject([
        { name: "nightly", origin: "night", status: "finished", events: 2 }
      ])
      const events = [{ sequence: 1, run: "r", at: 1, event: { _tag: "RunStarted", name: "r", kind: "calls" } }]
      const body = { origin: "other", epoch: "e", events }
      yield* shop.post("/api/events", body)
      yield* shop.post("/api/events", body)
      expect((yield* shop.recorder.run("r"))?.events).toBe(1)
    })
  )

  it.scopedLive("gets each event of another process once, though it was away meanwhile", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const scope = yield* Scope.make()
      const { port } = yield* Scope.extend(serve(shop), scope)
      const remote = { url: `http://127.0.0.1:${port}`, token: Redacted.make(token), origin: "night" }
      const recorder = Context.get(yield* Layer.build(Recorder.layerRemote(remote)), Recorder.Recorder)
      const recording = yield* recorder.begin({ name: "nightly" })
      const note = (from: number, to: number) => {
        for (let index = from; index < to; index++) recording.watcher.started(ToolCall.make(`c${index}`, "tidy", {}))
      }
      const arrived = (count: number) => until(shop.recorder.run(recording.id), (run) => run?.events === count)
      note(0, 10)
      yield* arrived(11)
      yield* Scope.close(scope, Exit.void)
      note(10, 600)
      yield* serve(shop, { port })
      yield* arrived(601)
      const there = yield* shop.recorder.export(recording.id)
      expect(there).toEqual({ ...(yield* recorder.export(recording.id)), origin: "night" })
    })
  )

  it.scopedLive("refuses each write of its API to who may only look", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const { json } = yield* shop.get("/api/openapi.json")
      const looks = ["POST /api/tools/{name}/preview", "POST /api/toolsets/draft"]
      const writes = Object.entries<object>(json.paths)
        .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
        .filter((one) => !one.startsWith("GET ") && !looks.includes(one))
      expect(writes.length).toBeGreaterThan(10)
      for (const one of writes) {
        const [method = "", path = ""] = one.replaceAll(/{\w+}/g, "mine").split(" ")
        const { json: refused, status } = yield* shop.send(method, path, method === "DELETE" ? undefined : {}, viewer)
        expect([one, status, refused._tag]).toEqual([one, 403, "ReadOnly"])
      }
    })
  )
})

it.scopedLive(
  "A studio is not open to all machines by another spelling, and takes no empty token or part of another kind",
  () =>
    Effect.gen(function* () {
      const { options } = yield* makeShop()
      for (const host of ["0", "0x0", "0.0", "0.0.0.0", "::", "::0", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0"]) {
        expect(yield* causeOf(Studio.serve({ ...options, host }))).toContain(
          "Every machine around could reach a studio"
        )
      }
      const unnamed = Studio.serve({ ...options, host: "", isOpenToAllInterfaces: true })
      expect(yield* causeOf(unnamed)).toContain("A host must be named")
      const serveAny = untyped<ReturnType<typeof Studio.serve>>(Studio.serve)
      const wrong: ReadonlyArray<readonly [object, string]> = [
        [{ token: Redacted.make("") }, "token must be a secret that is not empty"],
        [{ readOnlyToken: Redacted.make("") }, "readOnlyToken must be a secret that is not empty"],
        [{ store: Promise.resolve(options.store) }, "store must be a store"],
        [{ runner: {} }, "runner must be a runner"],
        [{ recorder: Recorder.make() }, "recorder must be a recorder"],
        [{ agent: {} }, "agent must be an agent"],
        [{ problems: [] }, "problems must be an effect that gives an array"]
      ]
      for (const [part, words] of wrong) expect(yield* causeOf(serveAny({ ...options, ...part }))).toContain(words)
    })
)
