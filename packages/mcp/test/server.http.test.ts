import { createServer, request as requestOf } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import * as HttpServer from "@effect/platform/HttpServer"
import { expect, it } from "@effect/vitest"
import { Toolset } from "@wield/core"
import { Authorization, McpServer } from "@wield/mcp"
import { Deferred, Effect, Layer, Context } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { describe } from "vitest"

const modern = "2026-07-28"

interface Sent {
  readonly method?: string
  readonly params?: object
  readonly headers?: Record<string, string>
  readonly id?: number
}

/** A request of 2026-07-28. */
const post = (method: string, params: object = {}, { headers = {}, id = 1 }: Sent = {}): Request =>
  new Request("http://localhost/mcp", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Host: "localhost",
      "MCP-Protocol-Version": modern,
      "Mcp-Method": method,
      ...("name" in params ? { "Mcp-Name": String(params.name) } : {}),
      ...headers
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": modern,
          "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" }
        }
      }
    })
  })

const legacy = (message: object, headers: Record<string, string> = {}): Request =>
  new Request("http://localhost/mcp", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Host: "localhost",
      ...headers
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message })
  })

const hello = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } }
}

const greeter = Effect.gen(function* () {
  const toolset = yield* Toolset.dynamic([
    {
      name: "greet",
      inputSchema: { type: "object", properties: { who: { type: "string", "x-mcp-header": "Who" } } },
      execute: ({ who }) => Effect.succeed(`Hello, ${String(who)}`)
    }
  ])
  return yield* McpServer.make({ name: "greeter", version: "1.0.0", toolset })
})

/** The last message of a response, be it JSON or a stream of events. */
const messageOf = (response: Response) =>
  Effect.promise(async () => {
    const text = await response.text()
    const line = text.startsWith("{")
      ? text
      : (text.split("\n").findLast((each) => each.startsWith("data: {")) ?? "data: {}").slice(6)
    return JSON.parse(line) as {
      readonly result?: { readonly tools: ReadonlyArray<{ readonly name: string }> }
      readonly error?: object
    }
  })

const send = (handle: (request: Request) => Promise<Response>, request: Request) =>
  Effect.promise(() => handle(request))

describe("A server over HTTP", () => {
  it.scoped("answers requests of 2026-07-28 one by one", () =>
    Effect.gen(function* () {
      const handle = McpServer.toWebHandler(yield* greeter)
      const discovered = yield* messageOf(yield* send(handle, post("server/discover")))
      expect(discovered["result"]).toMatchObject({ supportedVersions: [modern], capabilities: { tools: {} } })
      const called = yield* send(
        handle,
        post("tools/call", { name: "greet", arguments: { who: "Ada" } }, { headers: { "Mcp-Param-Who": "Ada" } })
      )
      expect((yield* messageOf(called))["result"]).toMatchObject({ structuredContent: "Hello, Ada" })
    })
  )

  it.scoped("keeps nothing of a request that it refuses", () =>
    Effect.gen(function* () {
      const server = yield* greeter
      const handle = McpServer.toWebHandler(server, { sessions: { max: 3 } })
      const refused: ReadonlyArray<readonly [number, () => Request]> = [
        [406, () => legacy(hello, { Accept: "application/json" })],
        [406, () => legacy(hello, { Accept: "text/plain" })],
        [415, () => legacy(hello, { "Content-Type": "text/plain" })],
        [400, () => legacy(hello, { "MCP-Protocol-Version": "1999-01-01" })],
        [403, () => legacy(hello, { Origin: "https://evil.example" })],
        [400, () => legacy({ ...hello, method: "tools/list" })],
        [
          413,
          () => legacy({ ...hello, params: { ...hello.params, clientInfo: { name: "a".repeat(1e5), version: "1" } } })
        ]
      ]
      const listeners = () => server[McpServer.TypeId].listeners.size
      yield* send(handle, legacy(hello, { Accept: "text/plain" }))
      const before = listeners()
      for (const [status, make] of refused) {
        for (let round = 0; round < 5; round++) {
          const response = yield* send(handle, make())
          // A version that is unknown is answered with one that is not, by some revisions.
          expect([status, 200]).toContain(response.status)
          if (response.status === 200)
            yield* send(
              handle,
              new Request("http://localhost/mcp", {
                method: "DELETE",
                headers: { Host: "localhost", "Mcp-Session-Id": response.headers.get("mcp-session-id") ?? "" }
              })
            )
        }
      }
      expect(listeners()).toBe(before)
    })
  )

  it.scoped("lets no one's sessions push out another's", () =>
    Effect.gen(function* () {
      const authorize: Authorization.Authorization = {
        resource: "http://localhost/mcp",
        issuers: [],
        scopes: [],
        verify: (token) => Effect.succeed({ id: token, scopes: [], claims: {} })
      }
      const handle = McpServer.toWebHandler(yield* greeter, { authorize, sessions: { max: 2 } })
      const of = (who: string) => ({ Authorization: `Bearer ${who}` })
      const [ada] = [yield* send(handle, legacy(hello, of("ada")))]
      for (const status of [200, 200, 503, 503]) {
        expect((yield* send(handle, legacy(hello, of("bob")))).status).toBe(status)
      }
      const session = ada.headers.get("mcp-session-id") ?? ""
      const listed = yield* send(
        handle,
        legacy({ id: 2, method: "tools/list" }, { ...of("ada"), "Mcp-Session-Id": session })
      )
      expect(listed.status).toBe(200)
      expect((yield* send(handle, legacy(hello, of("ada")))).status).toBe(200)
    })
  )

  it.scoped("lets pages of an allowed origin read each answer, and asks nothing of their preflight", () =>
    Effect.gen(function* () {
      const authorize: Authorization.Authorization = {
        resource: "http://localhost/mcp",
        issuers: [],
        scopes: [],
        verify: (token) =>
          Effect.filterOrFail(
            Effect.succeed({ id: token, scopes: [], claims: {} }),
            ({ id }) => id === "good",
            () => new Authorization.InvalidToken({ reason: "no" })
          )
      }
      const Origin = "https://app.example.com"
      const handle = McpServer.toWebHandler(yield* greeter, { authorize, origins: [Origin] })
      const preflight = (origin: string) =>
        new Request("http://localhost/mcp", {
          method: "OPTIONS",
          headers: {
            Host: "localhost",
            Origin: origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type,mcp-protocol-version"
          }
        })
      const allowed = yield* send(handle, preflight(Origin))
      expect(allowed.status).toBe(204)
      expect(allowed.headers.get("access-control-allow-methods")).toContain("POST")
      expect(allowed.headers.get("access-control-allow-headers")).toContain("mcp-protocol-version")
      const foreign = yield* send(handle, preflight("https://evil.example"))
      expect([foreign.status, foreign.headers.get("access-control-allow-origin")]).toEqual([403, null])
      const good = { Origin, Authorization: "Bearer good" }
      const answers: ReadonlyArray<readonly [number, Request]> = [
        [204, preflight(Origin)],
        [401, legacy(hello, { Origin })],
        [401, legacy(hello, { Origin, Authorization: "Bearer bad" })],
        [200, legacy(hello, good)],
        [200, post("tools/list", {}, { headers: good })],
        [404, legacy({ id: 2, method: "tools/list" }, { ...good, "Mcp-Session-Id": "none" })],
        [406, legacy(hello, { ...good, Accept: "text/plain" })],
        [415, legacy(hello, { ...good, "Content-Type": "text/plain" })]
      ]
      for (const [status, request] of answers) {
        const response = yield* send(handle, request)
        expect([status, response.headers.get("access-control-allow-origin")]).toEqual([response.status, Origin])
        expect(response.headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id")
        yield* Effect.promise(() => response.body?.cancel() ?? Promise.resolve())
      }
    })
  )

  it.scoped("gives tools the digits of a number that JavaScript would change", () =>
    Effect.gen(function* () {
      const handle = McpServer.toWebHandler(yield* greeter)
      const who = "12345678901234567890"
      const { body, headers, method, url } = post(
        "tools/call",
        { name: "greet", arguments: { who } },
        {
          headers: { "Mcp-Param-Who": who }
        }
      )
      const text = yield* Effect.promise(() => new Response(body).text())
      const changed = new Request(url, { method, headers, body: text.replace(`"${who}"`, who) })
      expect((yield* messageOf(yield* send(handle, changed)))["result"]).toMatchObject({
        structuredContent: `Hello, ${who}`
      })
    })
  )

  it.scoped("refuses headers that differ from the body", () =>
    Effect.gen(function* () {
      const handle = McpServer.toWebHandler(yield* greeter)
      for (const headers of [{ "Mcp-Name": "other" }, { "Mcp-Param-Who": "Bob" }, { "Mcp-Method": "tools/list" }]) {
        const refused = yield* send(
          handle,
          post(
            "tools/call",
            { name: "greet", arguments: { who: "Ada" } },
            { headers: { "Mcp-Param-Who": "Ada", ...headers } }
          )
        )
        expect(refused.status).toBe(400)
        expect((yield* messageOf(refused))["error"]).toMatchObject({ code: -32020 })
      }
    })
  )

  it.scoped("keeps a session for a client of before, and forgets it when asked", () =>
    Effect.gen(function* () {
      const handle = McpServer.toWebHandler(yield* greeter)
      const opened = yield* send(handle, legacy(hello))
      expect((yield* messageOf(opened))["result"]).toMatchObject({ protocolVersion: "2025-11-25" })
      const session = { "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "" }
      expect(session["Mcp-Session-Id"]).not.toBe("")
      expect((yield* send(handle, legacy({ method: "notifications/initialized" }, session))).status).toBe(202)
      const call = { id: 2, method: "tools/call", params: { name: "greet", arguments: { who: "Bob" } } }
      expect((yield* messageOf(yield* send(handle, legacy(call, session))))["result"]).toEqual({
        content: [{ type: "text", text: "Hello, Bob" }]
      })
      expect((yield* messageOf(yield* send(handle, legacy(call, session))))["result"]).toBeDefined()
      expect((yield* send(handle, legacy(call))).status).toBe(400)
      expect((yield* send(handle, legacy(call, { "Mcp-Session-Id": "another" }))).status).toBe(404)
      yield* send(
        handle,
        new Request("http://localhost/mcp", { method: "DELETE", headers: { Host: "localhost", ...session } })
      )
      expect((yield* send(handle, legacy(call, session))).status).toBe(404)
    })
  )

  it.scoped(
    "keeps of a session's results the last for who comes back, and no more of large ones than four million characters",
    () =>
      Effect.gen(function* () {
        const handle = McpServer.toWebHandler(yield* greeter)
        const opened = yield* send(handle, legacy(hello))
        const session = {
          "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "",
          "MCP-Protocol-Version": "2025-11-25"
        }
        const who = "a".repeat(3_000_000)
        const call = { id: 2, method: "tools/call", params: { name: "greet", arguments: { who } } }
        const isKept: Array<boolean> = []
        for (const _ of ["first", "second", "third"]) {
          const lost = yield* send(handle, legacy(call, session))
          const [, id = ""] = /^id: (\S+)/u.exec(yield* Effect.promise(() => lost.text())) ?? []
          const headers = { Host: "localhost", Accept: "text/event-stream", "Last-Event-ID": id, ...session }
          const resume = () => send(handle, new Request("http://localhost/mcp", { headers }))
          isKept.push((yield* resume()).status === 200)
          yield* messageOf(yield* send(handle, legacy({ ...call, id: 3 }, session)))
          isKept.push((yield* resume()).status === 200)
        }
        expect(isKept).toEqual([true, false, true, false, true, false])
      })
  )

  it.scopedLive("keeps a session while a call runs, and refuses another request of its id meanwhile", () =>
    Effect.gen(function* () {
      const goesOn = yield* Deferred.make<void>()
      const toolset = yield* Toolset.dynamic([
        { name: "wait", execute: () => Effect.as(Deferred.await(goesOn), "late") }
      ])
      const server = yield* McpServer.make({ name: "slow", version: "1.0.0", toolset })
      const call = { id: 2, method: "tools/call", params: { name: "wait", arguments: {} } }
      // A busy machine may need more time to send the call.
      for (let idle = 20; ; idle *= 2) {
        const handle = McpServer.toWebHandler(server, { sessions: { idle } })
        const opened = yield* send(handle, legacy(hello))
        const session = { "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "" }
        const first = yield* send(handle, legacy(call, session))
        if (first.status === 404) continue
        expect((yield* send(handle, legacy(call, session))).status).toBe(400)
        yield* Effect.sleep(5 * idle)
        yield* Deferred.succeed(goesOn, undefined)
        expect((yield* messageOf(first))["result"]).toEqual({ content: [{ type: "text", text: "late" }] })
        return
      }
    })
  )

  it.scoped("has no more sessions than it may", () =>
    Effect.gen(function* () {
      const handle = McpServer.toWebHandler(yield* greeter, { sessions: { max: 2 } })
      const statuses = yield* Effect.forEach([1, 2, 3], () =>
        Effect.map(send(handle, legacy(hello)), ({ status }) => status)
      )
      expect(statuses).toEqual([200, 200, 503])
    })
  )

  it.scoped("serves clients of before without sessions, or not at all, where it is told to", () =>
    Effect.gen(function* () {
      const server = yield* greeter
      const list = { id: 2, method: "tools/list", params: {} }
      const stateless = McpServer.toWebHandler(server, { legacy: "stateless" })
      expect((yield* messageOf(yield* send(stateless, legacy(list))))["result"]).toMatchObject({
        tools: [{ name: "greet" }]
      })
      const strict = McpServer.toWebHandler(server, { legacy: "reject" })
      expect((yield* messageOf(yield* send(strict, legacy(hello))))["error"]).toMatchObject({
        code: -32022,
        data: { supported: [modern] }
      })
    })
  )

  it.scoped("refuses foreign origins, rebound names, other content types and large bodies", () =>
    Effect.gen(function* () {
      const handle = McpServer.toWebHandler(yield* greeter, { maxBodyBytes: 2000 })
      const status = (headers: Record<string, string>, params: object = {}) =>
        Effect.map(send(handle, post("tools/list", params, { headers })), (response) => response.status)
      expect(yield* status({})).toBe(200)
      expect(yield* status({ Origin: "http://localhost:5173" })).toBe(200)
      for (const origin of [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
        "http://evil.example:80"
      ]) {
        expect(yield* status({ Origin: origin })).toBe(403)
      }
      for (const host of ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "localhost@evil.example", ""]) {
        expect(yield* status({ Host: host })).toBe(403)
      }
      expect(yield* status({ "Content-Type": "text/plain" })).toBe(415)
      expect(yield* status({}, { cursor: "x".repeat(3000) })).toBe(413)
      const endless = new Request("http://localhost/mcp", {
        method: "POST",
        headers: { "Content-Type": "application/json", Host: "localhost" },
        body: new ReadableStream({
          pull: (controller) => controller.enqueue(new TextEncoder().encode(" ".repeat(1000)))
        }),
        duplex: "half"
      } as RequestInit)
      expect((yield* send(handle, endless)).status).toBe(413)
      const broken = legacy({})
      expect((yield* send(handle, new Request(broken, { body: "{", method: "POST" }))).status).toBe(400)
    })
  )

  it.scoped("lets in who has a token for it, and says to others where to get one", () =>
    Effect.gen(function* () {
      const { privateKey, publicKey } = yield* Effect.promise(() => generateKeyPair("ES256"))
      const issuer = "https://login.example.com"
      const resource = "http://localhost/mcp"
      const keys = { keys: [yield* Effect.promise(() => exportJWK(publicKey))] }
      const token = (claims: { aud?: string; iss?: string; exp?: string | number; scope?: string; sub?: string }) =>
        Effect.promise(() => {
          const { aud = resource, exp = "1 hour", iss = issuer, scope = "orders", sub = "ada" } = claims
          return new SignJWT({ scope })
            .setProtectedHeader({ alg: "ES256" })
            .setIssuer(iss)
            .setAudience(aud)
            .setSubject(sub)
            .setExpirationTime(exp)
            .sign(privateKey)
        })
      const toolset = yield* Toolset.dynamic([
        { name: "list_orders", execute: () => Effect.succeed("orders") },
        { name: "refund", execute: () => Effect.succeed("refunded") }
      ])
      const server = yield* McpServer.make({
        name: "shop",
        version: "1",
        toolset,
        offer: ({ name }, { principal }) => name !== "refund" || principal?.scopes.includes("refunds") === true
      })
      const authorize = Authorization.jwt({ resource, issuer, keys, scopes: ["orders"] })
      const handle = McpServer.toWebHandler(server, { authorize })
      const list = (authorization?: string) =>
        send(
          handle,
          post("tools/list", {}, { headers: authorization === undefined ? {} : { Authorization: authorization } })
        )
      const none = yield* list()
      expect(none.status).toBe(401)
      expect(none.headers.get("www-authenticate")).toBe(
        'Bearer scope="orders", resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp"'
      )
      const document = yield* send(
        handle,
        new Request("http://localhost/.well-known/oauth-protected-resource/mcp", { headers: { Host: "localhost" } })
      )
      expect(yield* Effect.promise(() => document.json())).toMatchObject({ resource, authorization_servers: [issuer] })
      for (const wrong of [
        "nonsense",
        yield* token({ aud: "https://other.example.com/mcp" }),
        yield* token({ iss: "https://evil.example" }),
        yield* token({ exp: 1 }),
        `${(yield* token({})).slice(0, -4)}AAAA`
      ]) {
        const refused = yield* list(`Bearer ${wrong}`)
        expect(refused.status).toBe(401)
        expect(refused.headers.get("www-authenticate")).toContain('error="invalid_token"')
      }
      const narrow = yield* list(`Bearer ${yield* token({ scope: "other" })}`)
      expect(narrow.status).toBe(403)
      expect(narrow.headers.get("www-authenticate")).toContain('error="insufficient_scope", scope="orders"')
      const namesFor = (scope: string) =>
        Effect.gen(function* () {
          const { result } = yield* messageOf(yield* list(`Bearer ${yield* token({ scope })}`))
          return result?.tools.map(({ name }) => name)
        })
      expect(yield* namesFor("orders")).toEqual(["list_orders"])
      expect(yield* namesFor("orders refunds")).toEqual(["list_orders", "refund"])
      // A session belongs to whom it was opened for.
      const bearer = (value: string) => ({ Authorization: `Bearer ${value}` })
      const opened = yield* send(handle, legacy(hello, bearer(yield* token({}))))
      const session = { "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "" }
      const ping = { id: 3, method: "ping" }
      expect((yield* send(handle, legacy(ping, { ...session, ...bearer(yield* token({ sub: "eve" })) }))).status).toBe(
        404
      )
      expect((yield* send(handle, legacy(ping, { ...session, ...bearer(yield* token({})) }))).status).toBe(200)
    })
  )

  it.scoped("runs on Node's HTTP server, where a client that leaves interrupts its call", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const server = Effect.gen(function* () {
        const toolset = yield* Toolset.dynamic([
          {
            name: "wait",
            execute: () =>
              Deferred.succeed(begun, undefined).pipe(
                Effect.zipRight(Effect.never),
                Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
              )
          }
        ])
        return yield* McpServer.make({ name: "slow", version: "1", toolset })
      })
      const services = yield* Layer.build(
        McpServer.layerHttp(server).pipe(
          Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))
        )
      )
      const { address } = Context.get(services, HttpServer.HttpServer)
      if (address._tag !== "TcpAddress") return expect.unreachable()
      const url = `http://127.0.0.1:${address.port}/mcp`
      const request = (method: string, params: object = {}) => {
        const { body, headers } = post(method, params)
        return {
          method: "POST",
          headers: [...headers].filter(([name]) => name !== "host"),
          body,
          duplex: "half"
        } as RequestInit
      }
      const listed = yield* Effect.promise(() => fetch(url, request("tools/list")))
      expect((yield* messageOf(listed))["result"]).toMatchObject({ tools: [{ name: "wait" }] })
      expect((yield* Effect.promise(() => fetch(`${url}x`, request("tools/list")))).status).toBe(404)
      const leaving = new AbortController()
      const waiting = fetch(url, { ...request("tools/call", { name: "wait", arguments: {} }), signal: leaving.signal })
      waiting.catch(() => undefined)
      yield* Deferred.await(begun)
      leaving.abort()
      yield* Deferred.await(ended)
    })
  )

  it.scopedLive("refuses over Node what is no request of the web", () =>
    Effect.gen(function* () {
      const services = yield* Layer.build(
        McpServer.layerHttp(greeter).pipe(
          Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))
        )
      )
      const { address } = Context.get(services, HttpServer.HttpServer)
      if (address._tag !== "TcpAddress") return expect.unreachable()
      const { port } = address
      const statusOf = (method: string, host: string) =>
        Effect.async<number | undefined>((resume) => {
          requestOf({ port, method, path: "/mcp", agent: false, headers: { host } }, ({ statusCode }) =>
            resume(Effect.succeed(statusCode))
          ).end()
        })
      expect(yield* statusOf("POST", "localhost:80@evil.example")).toBe(400)
      expect(yield* statusOf("TRACE", "localhost")).toBe(400)
      expect(yield* statusOf("POST", "evil.example")).toBe(403)
    })
  )
})
