/** Access by OAuth, with an authorization server on loopback. */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Credentials, McpClient } from "@wield/mcp"
import { Deferred, Effect, Either, Fiber, Redacted, TestClock } from "effect"
import { bundleOf } from "../../../test/programs.js"
import { folderStore } from "./fixtures/folderStore.js"
import { sendJson, serve } from "./fixtures/loopback.js"

const redirectUrl = "http://127.0.0.1:7777/callback"

/** An MCP server of 2025-11-25 and its authorization server, which grants all that a person asks for. */
const protectedServer = Effect.gen(function* () {
  const state = {
    clients: new Map<
      string,
      { readonly redirect_uris: ReadonlyArray<string>; readonly grant_types: ReadonlyArray<string> }
    >(),
    codes: new Map<string, URLSearchParams>(),
    access: new Set<string>(),
    refresh: new Set<string>(),
    tokenRequests: [] as Array<URLSearchParams>,
    /** Of the requests for tokens, those that prove the possession of a key. */
    proofs: [] as Array<string>,
    authorizationServer: undefined as string | undefined,
    /** Whether programs get access without a person. */
    grants: false,
    /** Whether a refresh token that comes for the second time ends all access (RFC 9700, 4.14.2). */
    endsReuse: false,
    /** Requests that were refused, of which a renewal waits for two where two processes are to renew at once. */
    refused: 0,
    waitsForTwo: false,
    /** Called for each request for tokens, none of which is answered. */
    hangs: undefined as (() => void) | undefined,
    /** What all requests for tokens are answered with. */
    answer: undefined as { readonly status: number; readonly body: string } | undefined
  }
  let last = 0
  const next = (kind: string) => `${kind}-${++last}`
  const tokens = () => {
    const [access, refresh] = [next("access"), next("refresh")]
    state.access.add(access)
    state.refresh.add(refresh)
    return { access_token: access, refresh_token: refresh, token_type: "Bearer", expires_in: 3600 }
  }
  const token = (given: URLSearchParams): object | undefined => {
    state.tokenRequests.push(given)
    if (given.get("grant_type") === "refresh_token") {
      if (state.refresh.delete(given.get("refresh_token") ?? "")) return tokens()
      if (state.endsReuse) {
        state.access.clear()
        state.refresh.clear()
      }
      return undefined
    }
    if (given.get("grant_type") === "client_credentials") return state.grants ? tokens() : undefined
    const asked = state.codes.get(given.get("code") ?? "")
    const challenge = createHash("sha256")
      .update(given.get("code_verifier") ?? "")
      .digest("base64url")
    const isSame = asked?.get("code_challenge") === challenge && asked.get("client_id") === given.get("client_id")
    return isSame && state.codes.delete(given.get("code") ?? "") ? tokens() : undefined
  }
  const mcp: { readonly [method: string]: object } = {
    initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
    "tools/list": { tools: [{ name: "who", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "you" }] }
  }
  const origin: string = yield* serve(async ({ body, headers, method, url }, response) => {
    switch (url.pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return sendJson(response, {
          resource: `${origin}/mcp`,
          authorization_servers: [state.authorizationServer ?? origin],
          scopes_supported: ["notes"]
        })
      case "/.well-known/oauth-authorization-server":
        return sendJson(response, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none", "client_secret_post"],
          authorization_response_iss_parameter_supported: true
        })
      case "/register": {
        const id = next("client")
        state.clients.set(id, JSON.parse(body))
        return sendJson(response, { ...JSON.parse(body), client_id: id }, 201)
      }
      case "/authorize": {
        const code = next("code")
        state.codes.set(code, url.searchParams)
        const answer = new URLSearchParams({ code, state: url.searchParams.get("state") ?? "", iss: origin })
        return void response.writeHead(302, { location: `${redirectUrl}?${answer}` }).end()
      }
      case "/token": {
        if (state.hangs !== undefined) return state.hangs()
        if (state.answer !== undefined) return void response.writeHead(state.answer.status).end(state.answer.body)
        const given = new URLSearchParams(body)
        if (typeof headers["dpop"] === "string") state.proofs.push(headers["dpop"])
        const basic = Buffer.from(headers.authorization?.replace("Basic ", "") ?? "", "base64").toString()
        if (!state.clients.has(given.get("client_id") ?? basic.split(":")[0] ?? ""))
          return sendJson(response, { error: "invalid_client" }, 401)
        const granted = token(given)
        while (state.waitsForTwo && state.refused < 2) await setTimeout(5)
        // The other one has been refused, and comes now unless it waits.
        if (state.waitsForTwo) await setTimeout(100)
        return granted === undefined ? sendJson(response, { error: "invalid_grant" }, 400) : sendJson(response, granted)
      }
      case "/mcp": {
        if (!state.access.has(headers.authorization?.replace("Bearer ", "") ?? "")) {
          state.refused++
          const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
          return void response.writeHead(401, { "www-authenticate": challenge }).end()
        }
        if (method !== "POST") return void response.writeHead(405).end()
        const message = JSON.parse(body) as { readonly id?: number; readonly method: string }
        if (message.id === undefined) return void response.writeHead(202).end()
        const result = mcp[message.method]
        return result === undefined
          ? void response.writeHead(400).end()
          : sendJson(response, { jsonrpc: "2.0", id: message.id, result })
      }
      default:
        return void response.writeHead(404).end()
    }
  })
  return { ...state, state, url: `${origin}/mcp` }
})

/** A person grants access in a browser, and comes back to this address. */
const grant = (url: string | undefined) =>
  Effect.promise(async () => {
    const response = await fetch(url ?? "", { redirect: "manual" })
    return response.headers.get("location") ?? ""
  })

const signIn = (url: string, credentials: Credentials.Credentials, allowedHosts: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const server = McpClient.http(url, { credentials, guard: { allowedHosts } })
    const error = yield* Effect.flip(Effect.scoped(McpClient.connect("s", server)))
    assert.strictEqual(error._tag, "AuthorizationRequired", error.message)
    const address = error._tag === "AuthorizationRequired" ? error.url : undefined
    const callback = yield* grant(address)
    yield* credentials.complete(url, callback)
    return { address: new URL(address ?? ""), callback }
  })

const who = (url: string, credentials: Credentials.Credentials) =>
  Effect.scoped(
    Effect.flatMap(McpClient.connect("s", McpClient.http(url, { credentials })), (client) => client.callTool("who"))
  )

describe("access by OAuth", () => {
  it.scoped("ends where the authorization server does not answer, and can be completed later", () =>
    Effect.gen(function* () {
      const { state, url } = yield* protectedServer
      const credentials = Credentials.oauth({
        store: yield* Credentials.memoryStore,
        redirectUrl,
        guard: { allowedHosts: [new URL(url).host] }
      })
      const error = yield* Effect.flip(Effect.scoped(McpClient.connect("s", McpClient.http(url, { credentials }))))
      const callback = yield* grant(error._tag === "AuthorizationRequired" ? error.url : undefined)
      const asked = yield* Deferred.make<void>()
      state.hangs = () => Deferred.unsafeDone(asked, Effect.void)
      const completing = yield* Effect.fork(Effect.flip(credentials.complete(url, callback)))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("30 seconds")
      assert.match((yield* Fiber.join(completing)).message, /did not answer within 30000 ms; try again/)
      state.hangs = undefined
      yield* credentials.complete(url, callback)
    })
  )

  it.scopedLive.each<readonly [number, string, RegExp]>([
    [500, "client_secret=hunter2hunter2 at /srv/app.js", /answered with status 500 and no JSON object$/],
    [200, '{"access_token":"hunter2hunter2",}', /answered with status 200 and no JSON object$/],
    [400, '{"error":"invalid_request","error_description":"you sent hunter2hunter2"}', /: you sent <redacted>$/],
    [200, '{"access_token":"hunter2\\nhunter2","token_type":"Bearer"}', /invalid header value/]
  ])("that is answered with %d and %s fails, and tells no secret", ([status, body, words]) =>
    Effect.gen(function* () {
      const { state, url } = yield* protectedServer
      state.answer = { status, body }
      const credentials = Credentials.clientCredentials({
        clientId: "program",
        clientSecret: Redacted.make("hunter2hunter2"),
        issuer: new URL(url).origin
      })
      const error = yield* Effect.flip(McpClient.connect("s", McpClient.http(url, { credentials })))
      assert.match(error.message, words)
      assert.notInclude(error.message, "hunter2")
    })
  )

  it.scopedLive("by a header stands in no error, though the server quotes it", () =>
    Effect.gen(function* () {
      const origin = yield* serve(({ headers }, response) => {
        const message = `no access for ${headers["x-key"]} and ${headers.authorization}`
        response.writeHead(400).end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message } }))
      })
      const headers = { "x-key": Redacted.make("k-1234567890"), authorization: "Bearer t-1234567890" }
      const error = yield* Effect.flip(McpClient.connect("s", McpClient.http(origin, { headers })))
      assert.match(error.message, /no access for <redacted> and .*<redacted>/)
      assert.notInclude(error.message, "1234567890")
    })
  )

  it.scopedLive("is granted once: discovered, registered and kept", () =>
    Effect.gen(function* () {
      const { clients, tokenRequests, url } = yield* protectedServer
      const store = yield* Credentials.memoryStore
      const { address } = yield* signIn(url, Credentials.oauth({ store, redirectUrl, clientName: "Notes" }))
      assert.deepStrictEqual(
        [...clients.values()].map(({ grant_types, redirect_uris }) => ({ grant_types, redirect_uris })),
        [{ grant_types: ["authorization_code", "refresh_token"], redirect_uris: [redirectUrl] }]
      )
      const asked = Object.fromEntries(address.searchParams)
      assert.deepStrictEqual(
        [asked["resource"], asked["scope"], asked["code_challenge_method"], asked["client_id"]],
        [url, "notes", "S256", "client-1"]
      )
      assert.strictEqual(tokenRequests[0]?.get("resource"), url)
      // Another process, later.
      const again = yield* who(url, Credentials.oauth({ store, redirectUrl }))
      assert.strictEqual(again.content[0]?.text, "you")
      assert.deepStrictEqual([clients.size, tokenRequests.length], [1, 1])
    })
  )

  it.scopedLive("is refreshed without help, in the middle of a connection, and asked for again when that fails", () =>
    Effect.gen(function* () {
      const { access, refresh, tokenRequests, url } = yield* protectedServer
      const credentials = Credentials.oauth({ store: yield* Credentials.memoryStore, redirectUrl })
      yield* signIn(url, credentials)
      const client = yield* McpClient.connect("s", McpClient.http(url, { credentials }))
      for (const kind of ["authorization_code", "refresh_token", "refresh_token"]) {
        assert.strictEqual((yield* client.callTool("who")).content[0]?.text, "you")
        assert.strictEqual(tokenRequests.at(-1)?.get("grant_type"), kind)
        access.clear()
      }
      refresh.clear()
      const error = yield* Effect.flip(client.callTool("who"))
      assert.strictEqual(error._tag, "AuthorizationRequired")
      assert.notMatch(JSON.stringify(error) + error.message, /(?:access|refresh)-\d/)
      yield* credentials.complete(url, yield* grant(error._tag === "AuthorizationRequired" ? error.url : undefined))
      assert.strictEqual((yield* client.callTool("who")).content[0]?.text, "you")
    })
  )

  for (const [where, shares] of [
    ["one connection", 1],
    ["two connections of the same credentials", 2],
    ["two credentials of one store", 3],
    ["two processes, which share what they keep", 4]
  ] as const) {
    it.scopedLive(`is refreshed once for calls at the same time, over ${where}`, () =>
      Effect.gen(function* () {
        const { access, tokenRequests, url } = yield* protectedServer
        const store = yield* Credentials.memoryStore
        // A process knows another one only by what it has kept, some time after it got it.
        const process = (): Credentials.Store =>
          shares === 4 ? { ...store, set: (key, value) => Effect.delay(store.set(key, value), "50 millis") } : store
        const make = () => Credentials.oauth({ store: process(), redirectUrl })
        const credentials = make()
        yield* signIn(url, credentials)
        const connect = (given: Credentials.Credentials) =>
          McpClient.connect("s", McpClient.http(url, { credentials: given }))
        const first = yield* connect(credentials)
        const second = shares === 1 ? first : yield* connect(shares === 2 ? credentials : make())
        for (let round = 0; round < 3; round++) {
          access.clear()
          const before = tokenRequests.length
          const clients = [first, second, first, second]
          const results = yield* Effect.all(
            clients.map((client) => client.callTool("who")),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(
            results.map(({ content }) => content[0]?.text),
            ["you", "you", "you", "you"]
          )
          if (shares < 4) assert.strictEqual(tokenRequests.length, before + 1)
        }
        assert.strictEqual((yield* who(url, make())).content[0]?.text, "you")
      })
    )
  }

  for (const [kept, locks] of [
    ["a store", "reads"],
    ["a store that locks, though the server ends what is renewed twice", "locks"]
  ] as const) {
    it.scopedLive(`is kept through renewals at once by two processes of ${kept}`, () =>
      Effect.gen(function* () {
        const { state, url } = yield* protectedServer
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-oauth-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true }))
        )
        yield* signIn(url, Credentials.oauth({ store: folderStore(folder), redirectUrl }))
        const program = yield* bundleOf(new URL("fixtures/signedIn.ts", import.meta.url))
        const start = Effect.acquireRelease(
          Effect.promise(async () => {
            const child = spawn(process.execPath, [program, folder, url, locks], { stdio: ["pipe", "pipe", "inherit"] })
            const lines = createInterface({ input: child.stdout })
            await once(lines, "line")
            return { child, lines }
          }),
          ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
        )
        const processes = yield* Effect.all([start, start], { concurrency: "unbounded" })
        state.endsReuse = locks === "locks"
        state.waitsForTwo = true
        for (let round = 0; round < 3; round++) {
          state.access.clear()
          state.refused = 0
          const before = state.tokenRequests.length
          const said = yield* Effect.promise(() =>
            Promise.all(
              processes.map(async ({ child, lines }) => {
                const [line] = [once(lines, "line"), child.stdin.write("call\n")]
                return (await line)[0]
              })
            )
          )
          assert.deepStrictEqual(said, ["you", "you"])
          if (locks === "locks") assert.strictEqual(state.tokenRequests.length, before + 1)
        }
      })
    )
  }

  for (const [asking, shares] of [
    ["one program", true],
    ["two programs of one store", false]
  ] as const) {
    it.scopedLive(`is granted to two people at once whom ${asking} asks, and each answer counts once`, () =>
      Effect.gen(function* () {
        const { tokenRequests, url } = yield* protectedServer
        const store = yield* Credentials.memoryStore
        const one = Credentials.oauth({ store, redirectUrl })
        const programs = [one, shares ? one : Credentials.oauth({ store, redirectUrl })]
        const errors = yield* Effect.forEach(
          programs,
          (credentials) => Effect.flip(Effect.scoped(McpClient.connect("s", McpClient.http(url, { credentials })))),
          { concurrency: "unbounded" }
        )
        const addresses = errors.map((error) => (error._tag === "AuthorizationRequired" ? error.url : undefined))
        assert.strictEqual(new Set(addresses).size, 2)
        const callbacks = yield* Effect.forEach(addresses, grant)
        for (const index of [1, 0]) {
          yield* programs[index]!.complete(url, callbacks[index]!)
          assert.strictEqual((yield* who(url, programs[index]!)).content[0]?.text, "you")
        }
        assert.strictEqual(tokenRequests.length, 2)
        const again = yield* Effect.flip(one.complete(url, callbacks[0]!))
        assert.match(again.message, /has been answered/)
        assert.strictEqual((yield* who(url, one)).content[0]?.text, "you")
      })
    )
  }

  it.scopedLive("waits for the latest people only, and keeps what it asks of no more", () =>
    Effect.gen(function* () {
      const { url } = yield* protectedServer
      const keys = new Set<string>()
      const memory = yield* Credentials.memoryStore
      const store: Credentials.Store = {
        get: memory.get,
        set: (key, value) =>
          Effect.zipRight(
            Effect.sync(() => keys.add(key)),
            memory.set(key, value)
          ),
        remove: (key) =>
          Effect.zipRight(
            Effect.sync(() => keys.delete(key)),
            memory.remove(key)
          )
      }
      const credentials = Credentials.oauth({ store, redirectUrl })
      const ask = Effect.flip(Effect.scoped(McpClient.connect("s", McpClient.http(url, { credentials }))))
      const errors = yield* Effect.all(
        Array.from({ length: 60 }, () => ask),
        { concurrency: 10 }
      )
      assert.isBelow(keys.size, 55)
      const last = errors.at(-1)
      yield* credentials.complete(url, yield* grant(last?._tag === "AuthorizationRequired" ? last.url : undefined))
    })
  )

  it.scopedLive("stays with the process that renewed it, though another one was refused before that was kept", () =>
    Effect.gen(function* () {
      const { access, tokenRequests, url } = yield* protectedServer
      const store = yield* Credentials.memoryStore
      yield* signIn(url, Credentials.oauth({ store, redirectUrl }))
      const [isRefused, isKept] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let writes = 0
      const winner: Credentials.Store = {
        ...store,
        set: (key, value) =>
          key.endsWith(":tokens")
            ? Deferred.await(isRefused).pipe(
                Effect.zipRight(store.set(key, value)),
                // Once before the next call may go on, and once by the SDK.
                Effect.zipRight(
                  Effect.suspend(() => (++writes === 2 ? Deferred.succeed(isKept, undefined) : Effect.void))
                )
              )
            : store.set(key, value)
      }
      // What the other one keeps may arrive between any look and any deletion.
      const loser: Credentials.Store = {
        ...store,
        remove: (key) =>
          Deferred.succeed(isRefused, undefined).pipe(
            Effect.zipRight(Deferred.await(isKept)),
            Effect.zipRight(store.remove(key))
          )
      }
      const connect = (given: Credentials.Store) =>
        McpClient.connect("s", McpClient.http(url, { credentials: Credentials.oauth({ store: given, redirectUrl }) }))
      const [first, second] = [yield* connect(winner), yield* connect(loser)]
      access.clear()
      const before = tokenRequests.length
      const renewed = yield* Effect.fork(first.callTool("who"))
      yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => tokenRequests.length > before })
      const refused = yield* Effect.either(second.callTool("who"))
      assert.strictEqual(Either.isLeft(refused) && refused.left._tag, "AuthorizationRequired")
      yield* Deferred.succeed(isRefused, undefined)
      assert.strictEqual((yield* Fiber.join(renewed)).content[0]?.text, "you")
      // Nobody signs in again.
      assert.strictEqual((yield* second.callTool("who")).content[0]?.text, "you")
      assert.strictEqual((yield* who(url, Credentials.oauth({ store, redirectUrl }))).content[0]?.text, "you")
    })
  )

  it.scopedLive("is granted anew to two connections that the authorization server has forgotten", () =>
    Effect.gen(function* () {
      const { access, clients, url } = yield* protectedServer
      const credentials = Credentials.oauth({ store: yield* Credentials.memoryStore, redirectUrl })
      yield* signIn(url, credentials)
      const first = yield* McpClient.connect("s", McpClient.http(url, { credentials }))
      const second = yield* McpClient.connect("s", McpClient.http(url, { credentials }))
      clients.clear()
      access.clear()
      const errors = yield* Effect.all([first, second].map((client) => Effect.flip(client.callTool("who"))))
      const [last] = errors.slice(-1)
      yield* credentials.complete(url, yield* grant(last?._tag === "AuthorizationRequired" ? last.url : undefined))
      assert.strictEqual((yield* first.callTool("who")).content[0]?.text, "you")
      assert.strictEqual((yield* second.callTool("who")).content[0]?.text, "you")
    })
  )

  it.scopedLive("of a program itself is asked for once by connections at the same time", () =>
    Effect.gen(function* () {
      const { access, clients, state, tokenRequests, url } = yield* protectedServer
      clients.set("robot", { redirect_uris: [], grant_types: [] })
      state.grants = true
      const credentials = Credentials.clientCredentials({ clientId: "robot", clientSecret: Redacted.make("secret") })
      const client = yield* McpClient.connect("s", McpClient.http(url, { credentials }))
      const other = yield* McpClient.connect("s", McpClient.http(url, { credentials }))
      access.clear()
      const before = tokenRequests.length
      yield* Effect.all([client.callTool("who"), other.callTool("who"), client.callTool("who")], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual([before, tokenRequests.length], [1, 2])
    })
  )

  it.scopedLive("is registered again where the authorization server has forgotten the program", () =>
    Effect.gen(function* () {
      const { access, clients, url } = yield* protectedServer
      const credentials = Credentials.oauth({ store: yield* Credentials.memoryStore, redirectUrl })
      yield* signIn(url, credentials)
      clients.clear()
      access.clear()
      yield* signIn(url, credentials)
      assert.strictEqual((yield* who(url, credentials)).content[0]?.text, "you")
      assert.strictEqual(clients.size, 1)
    })
  )

  it.scopedLive("is asked for where the server says now, with a registration there", () =>
    Effect.gen(function* () {
      const { access, clients, state, url } = yield* protectedServer
      const other = yield* protectedServer
      const credentials = Credentials.oauth({
        store: yield* Credentials.memoryStore,
        redirectUrl,
        guard: { allowedHosts: [new URL(other.url).host] }
      })
      yield* signIn(url, credentials, [new URL(other.url).host])
      access.clear()
      state.authorizationServer = new URL(other.url).origin
      const { address } = yield* signIn(url, credentials, [new URL(other.url).host])
      assert.strictEqual(address.origin, new URL(other.url).origin)
      assert.deepStrictEqual([clients.size, other.clients.size], [1, 1])
    })
  )

  it.scopedLive("may be bound to a key, which is kept", () =>
    Effect.gen(function* () {
      const { access, proofs, url } = yield* protectedServer
      const options = { store: yield* Credentials.memoryStore, redirectUrl, dpop: true }
      yield* signIn(url, Credentials.oauth(options))
      access.clear()
      yield* who(url, Credentials.oauth(options))
      const keys = proofs.map((proof) => JSON.parse(Buffer.from(proof.split(".")[0] ?? "", "base64url").toString()).jwk)
      assert.strictEqual(keys.length, 2)
      assert.deepStrictEqual(keys[0], keys[1])
      assert.notProperty(keys[0], "d")
    })
  )

  it.scopedLive(
    "is not taken from an answer of another request, or of another server, or of a person who says no",
    () =>
      Effect.gen(function* () {
        const { tokenRequests, url } = yield* protectedServer
        const credentials = Credentials.oauth({ store: yield* Credentials.memoryStore, redirectUrl })
        const error = yield* Effect.flip(Effect.scoped(McpClient.connect("s", McpClient.http(url, { credentials }))))
        const callback = new URL(yield* grant(error._tag === "AuthorizationRequired" ? error.url : undefined))
        const altered = (values: { readonly [name: string]: string | undefined }) => {
          const other = new URL(callback)
          for (const [name, value] of Object.entries(values)) {
            if (value === undefined) other.searchParams.delete(name)
            else other.searchParams.set(name, value)
          }
          return other
        }
        for (const other of [
          { state: "x" },
          { iss: "https://evil.example" },
          { iss: undefined },
          { code: undefined, error: "access_denied" }
        ]) {
          const failed = yield* Effect.flip(credentials.complete(url, altered(other)))
          assert.strictEqual(failed._tag, "AuthorizationFailed", JSON.stringify(other))
        }
        assert.strictEqual(tokenRequests.length, 0)
      })
  )

  it.scopedLive("is not looked for at an address that the server may not lead to", () =>
    Effect.gen(function* () {
      const { state, url } = yield* protectedServer
      state.authorizationServer = "http://169.254.169.254"
      const credentials = Credentials.oauth({ store: yield* Credentials.memoryStore, redirectUrl })
      const error = yield* Effect.flip(Effect.scoped(McpClient.connect("s", McpClient.http(url, { credentials }))))
      assert.match(error.message, /169\.254\.169\.254|not allowed|private|link-local/i)
    })
  )

  it.scopedLive("of a program itself goes to the authorization server that it knows, and to no other", () =>
    Effect.gen(function* () {
      const { clients, tokenRequests, url } = yield* protectedServer
      clients.set("robot", { redirect_uris: [], grant_types: [] })
      const credentials = Credentials.clientCredentials({
        clientId: "robot",
        clientSecret: Redacted.make("secret"),
        issuer: "https://auth.example.com"
      })
      const error = yield* Effect.flip(who(url, credentials))
      assert.strictEqual(tokenRequests.length, 0, error.message)
    })
  )
})
