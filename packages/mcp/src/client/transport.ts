/** What a way to a server is, and what the SDK's own leaves out. */
import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client"
import * as Json from "@wield/core/Json"
import { lostCode, TooMuch } from "./answers.js"
import type { Limits } from "./model.js"
import type { Asked } from "./lists.js"
import { mendMessage } from "./mend.js"
import { asResult } from "./tasks.js"

/** The request did not leave this process, so it can be sent again. */
export class NotSent extends Error {}

/** The request left, and its answer will not come. */
export class AnswerLost extends Error {}

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
    const typed = isNew ? withResultType(asked.method, message) : message
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

/** A result without a type is a complete one. The SDK refuses it, and a task. What is said about a task has its own state. */
const withResultType = (method: string, message: JSONRPCMessage): JSONRPCMessage => {
  if (!("result" in message) || !Json.isObject(message.result)) return message
  const { resultType } = message.result
  if (typeof resultType !== "string" || method.startsWith("tasks/"))
    return { ...message, result: { ...message.result, resultType: "complete" } }
  return resultType === "task" ? { ...message, result: asResult(message.result) } : message
}
