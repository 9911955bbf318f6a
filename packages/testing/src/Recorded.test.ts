import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { NodeFileSystem } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Json } from "@wield/core"
import { Cause, Chunk, ConfigProvider, Effect, Exit, Layer, Redacted, Stream } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Recorded from "./Recorded.js"
import type { RecordingMismatch } from "./RecordingError.js"

/** A server on loopback, and its address. */
const server = (answer: (request: IncomingMessage, response: ServerResponse, body: string) => void) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly close: () => void }>((resume) => {
      const listening = createServer((request, response) => {
        const pieces: Array<Buffer> = []
        request.on("data", (piece: Buffer) => pieces.push(piece))
        request.on("end", () => answer(request, response, Buffer.concat(pieces).toString()))
      }).listen(0, "127.0.0.1", () => {
        const address = listening.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close: () => void listening.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const temporaryFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "recorded-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => join(folder, "deep", "exchange.json")
)

const environment = (variables: { readonly [name: string]: string }) =>
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))

const recorded = (options: Recorded.Options, variables: { readonly [name: string]: string } = {}) =>
  Recorded.layer(options).pipe(Layer.provide([NodeFileSystem.layer, environment(variables)]))

const post = (url: string, body: unknown, headers: { readonly [name: string]: string } = {}) =>
  HttpClientRequest.post(url).pipe(
    HttpClientRequest.setHeaders(headers),
    HttpClientRequest.bodyUnsafeJson(body),
    HttpClient.execute,
    Effect.flatMap((response) => Effect.map(response.text, (text) => ({ status: response.status, text, response })))
  )

const echo = server((request, response, body) => {
  response.writeHead(201, { "content-type": "application/json", "x-request-id": "r_1", date: "today" })
  response.end(JSON.stringify({ path: request.url, body }))
})

const mismatch = <A, E>(exit: Exit.Exit<A, E>): RecordingMismatch => {
  const defects = Exit.isFailure(exit) ? Chunk.toReadonlyArray(Cause.defects(exit.cause)) : []
  expect(defects).toMatchObject([{ _tag: "RecordingMismatch" }])
  return defects[0] as RecordingMismatch
}

describe("Recorded.layer", () => {
  it.scoped("records what a server answers, and answers the same without it", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const { close, url } = yield* echo
      const asked = Effect.all([post(`${url}/a?x=1`, { b: 1, a: [{ d: 2, c: 3 }] }), post(`${url}/b`, "text")])
      const first = yield* asked.pipe(Effect.provide(recorded({ file, mode: "record" })))
      close()
      const again = yield* Effect.zipLeft(asked, Recorded.assertDone).pipe(Effect.provide(recorded({ file })))
      expect(again.map(({ status, text }) => [status, text])).toEqual(first.map(({ status, text }) => [status, text]))
      expect(again[0]?.response.headers).toEqual({ "content-type": "application/json", "x-request-id": "r_1" })
      const reordered = post(`${url}/a?x=1`, { a: [{ c: 3, d: 2 }], b: 1 })
      expect((yield* reordered.pipe(Effect.provide(recorded({ file })))).text).toBe(first[0].text)
    })
  )

  it.scoped("replays a streaming body in the pieces in which it came, cut characters too", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const bytes = Buffer.from("data: Grüße 👋\n\n")
      const pieces = [bytes.subarray(0, 9), bytes.subarray(9, 16), bytes.subarray(16)]
      // No server: a socket of a busy machine joins what was sent in pieces.
      const answer = HttpClient.make((request) => {
        const headers = { "content-type": "text/event-stream" }
        return Effect.sync(() =>
          HttpClientResponse.fromWeb(
            request,
            new Response(Stream.toReadableStream(Stream.fromIterable(pieces)), { headers })
          )
        )
      })
      const client = Layer.succeed(HttpClient.HttpClient, answer)
      const streamed = HttpClient.get("https://api.example.com/stream").pipe(
        Effect.flatMap((response) => Stream.runCollect(response.stream)),
        Effect.map((chunk) => Array.from(chunk, (piece) => Buffer.from(piece).toString("hex")))
      )
      yield* streamed.pipe(Effect.provide(recorded({ file, mode: "record", client })))
      expect(yield* streamed.pipe(Effect.provide(recorded({ file })))).toEqual(
        pieces.map((piece) => Buffer.from(piece).toString("hex"))
      )
      expect(readFileSync(file, "utf8")).toContain('"base64"')
    })
  )

  it.scoped("writes no secret, wherever it stands", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const secret = {
        bearer: "bearer-secret-1",
        apiKey: "x-api-key-secret-2>>?",
        query: "query-secret-3/+ä",
        cookie: "cookie-secret-4",
        setCookie: "set-cookie-secret-5",
        field: "field-secret-6",
        path: "path-secret-7",
        given: "g8",
        own: "own-header-secret-9",
        response: "response-secret-10",
        password: "password-secret-11",
        basic: "basic-secret-12",
        inner: "inner-secret-13",
        form: "form-secret-14",
        sse: "sse-secret-15",
        camel: "camel-secret-16",
        token: "token-secret-17",
        session: "session-secret-18",
        webhook: "webhook-secret-19",
        camelQuery: "query-secret-20",
        location: "location-secret-21",
        link: "link-21",
        sseCamel: "sse-secret-22",
        ownHeader: "header-secret-23"
      }
      const { close, url } = yield* server((request, response, body) => {
        if (request.url?.startsWith("/stream") === true) {
          response.writeHead(200, { "content-type": "text/event-stream" })
          const event = `data: {"api_key":"${secret.sse}","n":{"idToken":"${secret.sseCamel}"}}\n\ndata: ${secret.bearer}\n\n`
          // Cut in the middle of each secret.
          response.write(event.slice(0, 22))
          setTimeout(() => response.write(event.slice(22, event.length - 6)), 20)
          setTimeout(() => response.end(event.slice(event.length - 6)), 40)
          return
        }
        response.writeHead(200, {
          "content-type": "application/json",
          "set-cookie": `session=${secret.setCookie}; Path=/`,
          "x-request-id": `r-${secret.apiKey}`,
          location: `/next?a=1&X-Amz-Signature=${secret.location}#access_token=${secret.location}`,
          link: `<https://a.example/?sig=${secret.link}&page=2>; rel="next"`
        })
        response.end(
          JSON.stringify({
            accessToken: secret.camel,
            token: secret.token,
            session_token: secret.session,
            webhookSecret: secret.webhook,
            logprobs: [{ token: " beginning" }],
            access_token: secret.response,
            echo: body,
            address: request.url,
            [secret.bearer]: "key"
          })
        )
      })
      const headers = {
        authorization: `Bearer ${secret.bearer}`,
        "x-api-key": secret.apiKey,
        "x-service-secret": secret.ownHeader,
        cookie: `theme=dark-theme; session=${secret.cookie}`,
        "x-own": secret.own,
        "x-kept": `keeps ${secret.bearer}`
      }
      const address = `${url}/${encodeURIComponent(secret.query)}/x?key=${encodeURIComponent(secret.query)}&y=${secret.bearer}&accessToken=${secret.camelQuery}`
      const asked = Effect.gen(function* () {
        yield* post(
          address,
          {
            client_secret: secret.field,
            deep: [{ where: secret.path, note: `${secret.bearer} ${secret.given}` }],
            call: { arguments: JSON.stringify({ Password: secret.inner, note: secret.own }) },
            again: [secret.camel, secret.token, secret.session, secret.webhook, secret.camelQuery, secret.ownHeader],
            more: [secret.response, secret.setCookie, Buffer.from(secret.apiKey).toString("base64")]
          },
          headers
        )
        yield* HttpClientRequest.post(`${url}/form`).pipe(
          HttpClientRequest.basicAuth("user", secret.basic),
          HttpClientRequest.bodyUrlParams({ password: secret.form, note: `${secret.basic} ${secret.form}` }),
          HttpClient.execute,
          Effect.flatMap((response) => response.text)
        )
        const form = new FormData()
        form.append("password", secret.password)
        form.append("file", new Blob([`of ${secret.password}`]), "a.txt")
        yield* HttpClientRequest.post(`${url}/form`).pipe(
          HttpClientRequest.bodyFormData(form),
          HttpClient.execute,
          Effect.flatMap((response) => response.text)
        )
        yield* Effect.flatMap(HttpClient.get(`${url}/stream`, { headers }), (response) => response.text)
      })
      const options: Recorded.Options = {
        file,
        secrets: {
          headers: ["X-Own"],
          body: ["$.deep[*].where"],
          values: [Redacted.make(secret.given)]
        },
        keepHeaders: ["x-kept", "authorization"]
      }
      yield* asked.pipe(Effect.provide(recorded({ ...options, mode: "record" })))
      close()
      const text = readFileSync(file, "utf8")
      const decoded = text.replaceAll(/"base64": "([^"]*)"/g, (_, base64: string) =>
        Buffer.from(base64, "base64").toString("latin1")
      )
      // A secret cut in two is one all the same to whoever joins the chunks.
      const streamed = (
        JSON.parse(text) as ReadonlyArray<{ response: { body?: { chunks?: ReadonlyArray<{ text: string }> } } }>
      )
        .flatMap(({ response }) => response.body?.chunks ?? [])
        .map((chunk) => chunk.text)
        .join("")
      expect(streamed).toBe('data: {"api_key":"REDACTED","n":{"idToken":"REDACTED"}}\n\ndata: REDACTED\n\n')
      const found = Object.entries(secret).filter(([, value]) =>
        [value, encodeURIComponent(value), Buffer.from(value).toString("base64")].some((spelled) =>
          `${text}${decoded}${decodeURIComponent(text.replaceAll("%", "%25"))}`.includes(spelled)
        )
      )
      expect(found).toEqual([])
      expect(text).toContain('"x-kept": "keeps REDACTED"')
      expect(text).toContain(" beginning")
      expect(text).toContain("/next?a=1&X-Amz-Signature=REDACTED#access_token=REDACTED")
      expect(text).toContain("sig=REDACTED&page=2>")
      expect(text).not.toContain('"authorization"')
      // A run with other secrets is the same conversation.
      yield* Effect.zipRight(asked, Recorded.assertDone).pipe(Effect.provide(recorded(options)))
    })
  )

  it.scoped("records an answer without a body", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const { url } = yield* server((_, response) => void response.writeHead(204).end())
      const asked = Effect.map(HttpClient.del(url), ({ status }) => status)
      expect(yield* asked.pipe(Effect.provide(recorded({ file, mode: "record" })))).toBe(204)
      expect(yield* asked.pipe(Effect.provide(recorded({ file })))).toBe(204)
    })
  )

  it.scoped("dies of a request that is not recorded, showing the first difference and what to do", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const { url } = yield* echo
      const body = (city: string) => ({
        model: "m",
        messages: [{ role: "user", content: "Hi" }, { arguments: { city } }]
      })
      yield* Effect.all([post(`${url}/other`, {}), post(`${url}/chat`, body("Rome"))]).pipe(
        Effect.provide(recorded({ file, mode: "record" }))
      )
      const ask = (path: string, sent: unknown) =>
        Effect.map(Effect.exit(post(`${url}${path}`, sent).pipe(Effect.provide(recorded({ file })))), mismatch)
      const wrong = yield* ask("/chat", body("Oslo"))
      expect(wrong.message).toContain(
        "differs from exchange 2 (POST " +
          url +
          '/chat) at $.body.messages[1].arguments.city, recorded "Rome", sent "Oslo"'
      )
      expect(wrong.message).toContain("WIELD_RECORD=record")
      expect((yield* ask("/chat", { ...body("Rome"), temperature: 1 })).difference).toContain(
        "at $.body.temperature, recorded nothing, sent 1"
      )
      expect((yield* ask("/elsewhere", body("Rome"))).difference).toContain("at $.url, recorded")
    })
  )

  it.scoped("answers each exchange once, in any order or in theirs, and tells what is left", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      let count = 0
      const { url } = yield* server((_, response) => response.end(`answer ${++count}`))
      const ask = (path: string) => Effect.map(post(`${url}${path}`, {}), ({ text }) => text)
      yield* Effect.all([ask("/a"), ask("/a"), ask("/b")]).pipe(Effect.provide(recorded({ file, mode: "record" })))
      expect(yield* Effect.all([ask("/b"), ask("/a"), ask("/a")]).pipe(Effect.provide(recorded({ file })))).toEqual([
        "answer 3",
        "answer 1",
        "answer 2"
      ])
      const third = Effect.exit(Effect.all([ask("/b"), ask("/b")])).pipe(Effect.provide(recorded({ file })))
      expect(mismatch(yield* third).difference).toContain("at $.url")
      const strict = Effect.exit(ask("/b")).pipe(Effect.provide(recorded({ file, order: "strict" })))
      expect(mismatch(yield* strict).difference).toContain("differs from exchange 1")
      const error = yield* Effect.flip(Effect.zipRight(ask("/a"), Recorded.assertDone)).pipe(
        Effect.provide(recorded({ file }))
      )
      expect(error).toMatchObject({ _tag: "RecordingUnused", left: [`POST ${url}/a`, `POST ${url}/b`] })
    })
  )

  it.scoped("compares bodies as they are normalised, and the headers that are named", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const { url } = yield* echo
      const ask = (at: number, beta: string) => post(url, { at, text: "a" }, { "anthropic-beta": beta })
      const options: Recorded.Options = {
        file,
        normalise: (body) => (Json.isObject(body) ? { ...(body as Json.JsonObject), at: 0 } : body),
        matchHeaders: ["Anthropic-Beta"]
      }
      yield* ask(1, "one").pipe(Effect.provide(recorded({ ...options, mode: "record" })))
      yield* ask(2, "one").pipe(Effect.provide(recorded(options)))
      const exit = yield* Effect.exit(ask(2, "two").pipe(Effect.provide(recorded(options))))
      expect(mismatch(exit).difference).toContain('at $.headers["anthropic-beta"], recorded "one", sent "two"')
    })
  )

  it.scoped("writes the same bytes for the same exchanges, and no other file beside", () =>
    Effect.gen(function* () {
      const { url } = yield* echo
      const contents: Array<string> = []
      for (const body of [
        { b: 1, a: 2 },
        { a: 2, b: 1 }
      ]) {
        const file = yield* temporaryFile
        yield* Effect.all([post(`${url}/1`, body), post(`${url}/2`, body)], { concurrency: 2 }).pipe(
          Effect.provide(recorded({ file, mode: "record" }))
        )
        expect(readdirSync(dirname(file))).toEqual(["exchange.json"])
        contents.push(
          readFileSync(file, "utf8")
            .replaceAll(/\{\\"(.*?)\}/g, "{}")
            .replaceAll(/"text": .*/g, "")
        )
      }
      expect(contents[0]).toBe(contents[1])
    })
  )

  it.scoped("records by the environment's word, where there is no file for auto, and never in CI", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const { url } = yield* echo
      const ask = (path: string, mode: Recorded.Mode | undefined, variables: { readonly [name: string]: string }) =>
        Effect.exit(
          Effect.map(
            Effect.zipRight(post(`${url}${path}`, {}), Recorded.Recording),
            ({ isRecording }) => isRecording
          ).pipe(Effect.provide(recorded({ file, mode }, variables)))
        )
      const errorOf = (exit: Exit.Exit<unknown, unknown>) =>
        Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "no error"
      expect(errorOf(yield* ask("/a", undefined, {}))).toContain("There is no recording")
      expect(errorOf(yield* ask("/a", "record", { CI: "true" }))).toContain("There is no recording")
      expect(errorOf(yield* ask("/a", "auto", { CI: "1", WIELD_RECORD: "record" }))).toContain("without CI")
      expect(errorOf(yield* ask("/a", "auto", { WIELD_RECORD: "always" }))).toContain("replay, record or auto")
      expect(yield* ask("/a", "auto", { CI: "false" })).toEqual(Exit.succeed(true))
      expect(yield* ask("/a", "auto", {})).toEqual(Exit.succeed(false))
      expect(mismatch(yield* ask("/b", "auto", {})).difference).toContain("at $.url")
      expect(yield* ask("/b", "replay", { WIELD_RECORD: "record" })).toEqual(Exit.succeed(true))
      expect(yield* ask("/b", undefined, {})).toEqual(Exit.succeed(false))
    })
  )

  it.scoped("refuses a file that is no recording, saying where", () =>
    Effect.gen(function* () {
      const file = join(dirname(dirname(yield* temporaryFile)), "exchange.json")
      const errorOf = (text: string) => {
        writeFileSync(file, text)
        return Effect.map(Effect.flip(Layer.build(recorded({ file }))), String)
      }
      expect(yield* errorOf("{")).toContain("is not a recording")
      const request = { method: "GET", url: "http://a/b", headers: {} }
      expect(yield* errorOf(JSON.stringify([{ request, response: { status: "200", headers: {} } }]))).toContain(
        "status"
      )
      expect(
        yield* errorOf(JSON.stringify([{ request, response: { status: 200, headers: {}, body: { base64: "*" } } }]))
      ).toContain("$[0].response.body")
      expect(
        yield* errorOf(JSON.stringify([{ request: { ...request, url: "b" }, response: { status: 200, headers: {} } }]))
      ).toContain("scheme and host")
    })
  )
})
