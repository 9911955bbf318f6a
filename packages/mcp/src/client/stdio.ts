/** A program that is a server, as the SDK's `Transport`: a process of its own group. */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import * as Json from "@wield/core/Json"
import * as Environment from "@wield/process/Environment"
import * as Guardian from "@wield/process/Guardian"
import * as LineProcess from "@wield/process/LineProcess"
import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import { ConnectFailed } from "../McpError.js"
import { atOnce } from "./answers.js"
import { mendAll } from "./mend.js"
import type { Limits } from "./model.js"
import { NotSent, type Opened } from "./transport.js"

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
