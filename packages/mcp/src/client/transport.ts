/**
 * Ways to a server, as the SDK's `Transport`: a process of its own group, and
 * HTTP through the guard.
 */
import type { FetchLike, JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client"
import * as Json from "@wield/core/Json"
import * as Secret from "@wield/core/Secret"
import * as HttpGuard from "@wield/http/HttpGuard"
import * as Environment from "@wield/process/Environment"
import * as Guardian from "@wield/process/Guardian"
import * as LineProcess from "@wield/process/LineProcess"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as RcRef from "effect/RcRef"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import { watchEnd } from "../internal/watchEnd.js"
import { ConnectFailed } from "../McpError.js"
import { atOnce, isAnswer, isRequest, lostCode, mendAnswer, TooMuch, Traffic } from "./answers.js"
import type { Limits } from "./model.js"
import type { Asked } from "./lists.js"
import { mendAll, mendMessage } from "./mend.js"
import { asResult } from "./tasks.js"

/** The request did not leave this process, so it can be sent again. */
export class NotSent extends Error {}

/** The request left, and its answer will not come. */
export class AnswerLost extends Error {}

/** A program that speaks MCP on its standard input and output. */
export interface StdioTarget {
  readonly _tag: "Stdio"
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  readonly env: { readonly [name: string]: string | Redacted.Redacted }
  /** Names of variables that it inherits, beside the basic ones. */
  readonly inherit: ReadonlyArray<string>
  readonly workingDirectory: string
}

export interface Opened {
  readonly transport: Transport
  /** What helps a person to see why the connection failed. */
  readonly diagnosis: () => string | undefined
  /** Lines that were no message. */
  readonly noise: () => number
  /** Why the connection ended. */
  readonly reason: () => string | undefined
  /** What no error shows, though the server may quote it. */
  readonly secrets: ReadonlySet<string>
}

/** Starts the program. Its end, and the end of all that it has started, belongs to the scope. */
export const openStdio = (
  server: string,
  target: StdioTarget,
  limits: Limits
): Effect.Effect<Opened, ConnectFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const given = Object.entries(target.env).map(([name, value]) => [
      name,
      Redacted.isRedacted(value) ? String(Redacted.value(value)) : value
    ])
    const guarded = yield* guard
    let transport: (Transport & { readonly pid: number; readonly stderr: null }) | undefined
    let ended: string | undefined
    let noise = 0
    const deliver = (message: JSONRPCMessage) => {
      try {
        transport?.onmessage?.(message)
      } catch {
        // What one message breaks costs that message.
        noise++
      }
    }
    let delivered = Promise.resolve()
    /** Of lines that are not delivered yet, and of answers that the program has not read yet. */
    const waiting = { lines: 0, answers: 0 }
    let inTurn = 0
    let isPaused = false
    const count = (what: keyof typeof waiting, size: number) => {
      waiting[what] += size
      const isFull = waiting.lines > atOnce || waiting.answers > limits.messageBytes
      if (isFull !== isPaused) child[isFull ? "pause" : "resume"]()
      isPaused = isFull
    }
    const take = async (line: string) => {
      inTurn += line.length
      if (inTurn > atOnce) {
        await nextTurn()
        inTurn = 0
      }
      const messages = messagesOf(line)
      if (messages.length === 0 && line.trim() !== "") noise++
      for (const message of messages) {
        deliver(message)
        // The SDK takes a notification one promise later, and an answer at once, after which no progress counts.
        await undefined
      }
      count("lines", -line.length)
    }
    const receive = (line: string) => {
      count("lines", line.length)
      delivered = delivered.then(() => take(line))
    }
    const end = (reason: string) => {
      if (ended !== undefined) return
      ended = reason
      transport?.onclose?.()
    }
    const child = yield* LineProcess.start(
      {
        command: target.command,
        arguments: target.arguments,
        environment: { ...Environment.inherit(process.env, target.inherit), ...Object.fromEntries(given), ...guarded },
        workingDirectory: target.workingDirectory,
        lineLimit: limits.messageBytes
      },
      { line: receive, ended: (how) => void delivered.then(() => end(describeEnd(how, limits))) }
    ).pipe(Effect.mapError(({ detail }) => new ConnectFailed({ server, reason: detail })))
    transport = {
      // The SDK takes what has both for a pipe, and falls back when the first question stays without an answer.
      pid: child.pid,
      stderr: null,
      start: () => Promise.resolve(),
      send: (message) =>
        new Promise((resolve, reject) => {
          if (ended !== undefined) return reject(new NotSent(ended))
          const text = JSON.stringify(message)
          const size = "method" in message ? 0 : text.length + sizeOfSending
          count("answers", size)
          child.send(text, (isSent) => {
            count("answers", -size)
            if (isSent) resolve()
            else reject(new NotSent(ended ?? closed))
          })
        }),
      // The process ends with the scope.
      close: () => Promise.resolve(end("it was closed"))
    }
    const secrets = new Set(
      Object.values(target.env).flatMap((value) => (Redacted.isRedacted(value) ? [String(Redacted.value(value))] : []))
    )
    return { transport, diagnosis: child.standardError, noise: () => noise, reason: () => ended, secrets }
  })

/** About what it costs to send anything, in bytes. */
const sizeOfSending = 1024

const closed = "it closed its standard input or output, and ran on"

const describeEnd = ({ ended, reason }: LineProcess.LinesEnded, limits: Limits): string =>
  reason === "closed"
    ? closed
    : reason === "line-too-long"
      ? `it sent a message of more than ${limits.messageBytes} bytes`
      : `its process ended with ${ended.signal ?? `exit code ${ended.code}`}`

/** Servers of 2025-03-26 may send several messages at once. */
const messagesOf = (line: string): ReadonlyArray<JSONRPCMessage> => {
  try {
    return mendAll(Json.parse(Json.cutDeep(line.replace(/^\uFEFF/, "")), { decimals: "rounded" }))
  } catch {
    return []
  }
}

/** One guardian for all servers of this program, while there is any. */
let guardian: RcRef.RcRef<Guardian.Guardian> | undefined

const guard: Effect.Effect<{ readonly [name: string]: string }, never, Scope.Scope> = Effect.gen(function* () {
  // Servers have no common folder; one that does not exist is as good as removed.
  const acquire = Guardian.make(join(tmpdir(), `wield-mcp-${randomBytes(8).toString("hex")}`))
  // It lives as long as the program: what it refers to ends with the last server.
  const made = yield* Scope.extend(RcRef.make({ acquire }), yield* Scope.make())
  guardian ??= made
  return (yield* RcRef.get(guardian)).variables()
})

/**
 * A `fetch` that goes where `policy` allows, and that bounds each message instead of the whole answer. `secrets` gets
 * what proves who sends a request, and what is granted.
 */
export const makeFetch = (
  url: URL,
  policy: HttpGuard.Policy,
  limits: Limits,
  secrets: Set<string> = new Set()
): Effect.Effect<FetchLike, never, Scope.Scope> =>
  Effect.map(
    HttpGuard.makeFetch({
      allowedHostsOf: "the server's guard",
      ...policy,
      allowedHosts: [...(policy.allowedHosts ?? []), hostOf(url)],
      // Streams of events live as long as the connection.
      maxBytes: Number.MAX_SAFE_INTEGER,
      bodyTimeout: 0,
      headersTimeout: 0
    }),
    (fetch) => {
      const traffic = new Traffic()
      return async (to, init) => {
        const send = () =>
          fetch(to, init).catch((error: unknown) => {
            throw isBeforeSending(error) ? new NotSent(messageOf(error), { cause: error }) : error
          })
        for (const secret of secretsSent(init ?? {})) keepSecret(secrets, secret)
        const response = await (isAnswer(init?.body) ? traffic.answer(send) : send())
        const mended = await mendAnswer(response, init?.body, limits.messageBytes, traffic)
        if (init?.method === "POST" && !isRequest(init.body)) return readGrant(mended, secrets)
        if ((init?.method ?? "GET") !== "GET" || !response.ok) return mended
        traffic.streams++
        return watchEnd(mended, () => void traffic.streams--)
      }
    }
  )

/** The latest: a program may make a header for each request. */
export const keepSecret = (secrets: Set<string>, secret: string): void => {
  secrets.delete(secret)
  secrets.add(secret)
  const [oldest] = secrets
  if (secrets.size > mostSecrets && oldest !== undefined) secrets.delete(oldest)
}

const mostSecrets = 100

const secretsSent = ({ body, headers }: RequestInit): ReadonlyArray<string> => [
  ...Secret.inHeader(new Headers(headers).get("authorization") ?? ""),
  ...(body instanceof URLSearchParams
    ? Array.from(body).flatMap(([name, value]) => (secretFields.has(name) ? [value] : []))
    : [])
]

/** Of requests for tokens, and of what answers them. */
const secretFields = new Set([
  "client_secret",
  "client_assertion",
  "assertion",
  "code",
  "code_verifier",
  "access_token",
  "refresh_token",
  "id_token",
  "subject_token"
])

/** What an authorization server answers. The SDK quotes what it cannot read, and a token may stand in it. */
const readGrant = async (response: Response, secrets: Set<string>): Promise<Response> => {
  const text = await response.text()
  try {
    const answer = Json.parse(text, { numbers: "rounded" })
    if (!Json.isObject(answer)) throw new TypeError("It is no object")
    for (const [name, value] of Object.entries(answer)) {
      if (secretFields.has(name) && typeof value === "string") keepSecret(secrets, value)
    }
    return new Response(text, response)
  } catch {
    const error_description = `the authorization server answered with status ${response.status} and no JSON object`
    return Response.json({ error: "server_error", error_description }, { status: Math.max(response.status, 400) })
  }
}

/** The program has named this host, so it may be a private one. */
const hostOf = (url: URL): string => `${url.hostname}:${url.port || (url.protocol === "https:" ? 443 : 80)}`

const beforeSending = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"])

/** Of a refusal, only that of where the request goes: others are of what was answered. */
const isBeforeSending = (error: unknown): boolean => {
  const refusal = Option.getOrUndefined(HttpGuard.refusalOf(error))
  if (refusal !== undefined) return refusal._tag === "AddressRefused" || refusal._tag === "ProtocolRefused"
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && beforeSending.has(String(cause.code))) return true
  }
  return false
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * The same transport, with what the SDK leaves out: a stream that ends without
 * its answer fails the request, no list is longer than it may be, and a program
 * that answers, but not the question for its revisions, is one that ignores it.
 */
export const watch = (
  inner: Transport,
  limits: Limits,
  {
    isModern,
    isProgram,
    legacyCapabilities,
    mendResult,
    onTooMuch
  }: {
    readonly isModern: () => boolean
    readonly mendResult: (
      asked: Asked,
      result: { readonly [key: string]: unknown },
      isModern: boolean
    ) => { readonly [key: string]: unknown }
    readonly isProgram: boolean
    readonly legacyCapabilities: Json.JsonObject
    readonly onTooMuch: (problem: TooMuch) => void
  }
): Transport => {
  let listed = 0
  let listedSize = 0
  let probe: Probe | undefined
  const open = new Map<unknown, Asked>()
  const mend = (message: JSONRPCMessage): JSONRPCMessage => {
    if ("method" in message || !("id" in message)) return message
    // As the SDK takes it: some servers give a number back as text.
    const id = open.has(message.id) ? message.id : Number(message.id)
    const asked = open.get(id)
    open.delete(id)
    if (!("result" in message) || asked === undefined) return message
    const isNew = isModern() || asked.method === "server/discover"
    const typed = isNew ? withResultType(message) : message
    // It is a result of the SDK's own shape before and after.
    return "result" in typed
      ? { ...typed, result: mendResult(asked, typed.result, isNew) as typeof typed.result }
      : typed
  }
  const handler: ProxyHandler<Transport> = {
    get: (target, key) => {
      if (key === "send") return send
      if (key === "close") probe?.end()
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === "function" ? value.bind(target) : value
    },
    set: (target, key, value: unknown) => {
      if (typeof value !== "function") return Reflect.set(target, key, value)
      if (key === "onclose") {
        return Reflect.set(target, key, () => {
          probe?.end()
          value()
        })
      }
      if (key !== "onmessage") return Reflect.set(target, key, value)
      return Reflect.set(target, key, (given: unknown, extra: unknown) => {
        const message = mendMessage(given)
        if (message === undefined || probe?.hear(message) === "own" || !countItems(message)) return
        value(mend(message), extra)
      })
    }
  }
  const send = (message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> => {
    if (isProgram && probe === undefined && "id" in message && "method" in message && message.method === probeMethod) {
      probe = new Probe(message.id, limits, (answer) => inner.onmessage?.(answer))
      // As a request of the newest revision, so that the program takes no other one for agreed.
      const { _meta } = message.params ?? {}
      open.set(message.id, { method: message.method, params: message.params ?? {} })
      return inner.send(message, options).then(() => inner.send({ ...ping, params: { _meta } }))
    }
    if ("method" in message && message.method.endsWith("/list") && message.params?.["cursor"] === undefined) {
      listed = 0
      listedSize = 0
    }
    if (!("id" in message) || !("method" in message)) {
      if ("method" in message && message.method === "notifications/cancelled")
        open.delete(message.params?.["requestId"])
      return inner.send(message, options)
    }
    const { id } = message
    open.set(id, { method: message.method, params: message.params ?? {} })
    const isGreeting = message.method === "initialize"
    return inner.send(
      isGreeting ? { ...message, params: { ...message.params, capabilities: legacyCapabilities } } : message,
      {
        ...options,
        onRequestStreamEnd: () => {
          options?.onRequestStreamEnd?.()
          if (options?.onRequestStreamEnd !== undefined || id === undefined) return
          inner.onmessage?.({
            jsonrpc: "2.0",
            id,
            error: { code: lostCode, message: "the stream ended without an answer" }
          })
        }
      }
    )
  }
  const countItems = (message: JSONRPCMessage): boolean => {
    // It has been parsed, and nothing else.
    const result: unknown = "result" in message ? message.result : undefined
    if (!Json.isObject(result) || !Array.isArray(result["tools"])) return true
    listed += result["tools"].length
    listedSize += JSON.stringify(result["tools"]).length
    if (listed > limits.items) onTooMuch(new TooMuch(`${limits.items} tools`))
    else if (listedSize > limits.messageBytes) onTooMuch(new TooMuch(`${limits.messageBytes} bytes of tools`))
    else return true
    return false
  }
  return new Proxy(inner, handler)
}

const probeMethod = "server/discover"

/** The SDK counts from 0. */
const ping = { jsonrpc: "2.0" as const, id: 2 ** 31 - 1, method: "ping" }

/** The question for a program's revisions. Its time begins when the program answers anything: until then it starts. */
class Probe {
  #isOver = false
  #hasHeard = false
  #timer: NodeJS.Timeout

  constructor(
    private readonly id: unknown,
    private readonly limits: Limits,
    private readonly answer: (message: JSONRPCMessage) => void
  ) {
    this.#timer = this.#giveUpAfter(Math.min(30_000, Math.max(limits.probe, limits.connect / 3)))
  }

  /** `own` for what only this has asked for. */
  hear(message: JSONRPCMessage): "own" | undefined {
    const id = "method" in message || !("id" in message) ? undefined : message.id
    if (id === this.id) this.end()
    else if (!this.#hasHeard && !this.#isOver) {
      this.#hasHeard = true
      clearTimeout(this.#timer)
      this.#timer = this.#giveUpAfter(this.limits.probe)
    }
    return id === ping.id ? "own" : undefined
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #giveUpAfter(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.end()
      const error = { code: methodNotFound, message: "it was not answered" }
      // It is the id of the SDK's own question.
      this.answer({ jsonrpc: "2.0", id: this.id as number, error })
    }, milliseconds)
  }
}

const methodNotFound = -32601

/** A result without a type is a complete one. The SDK refuses it, and a task. */
const withResultType = (message: JSONRPCMessage): JSONRPCMessage => {
  if (!("result" in message) || !Json.isObject(message.result)) return message
  const { resultType } = message.result
  if (typeof resultType !== "string") return { ...message, result: { ...message.result, resultType: "complete" } }
  return resultType === "task" ? { ...message, result: asResult(message.result) } : message
}
