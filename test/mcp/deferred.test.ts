/**
 * Calls of an MCP server that ask for input: the run pauses, every process ends, and another one goes on. The server is
 * made with the official SDK; what processes share is a file with the conversation and the journal.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { DeferredCall } from "@wield/agent"
import type { Json } from "@wield/core"
import { Effect, Schema } from "effect"
import { bundleOf } from "../programs.js"

const Report = Schema.parseJson(
  Schema.Struct({
    result: Schema.String,
    read: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
    requests: Schema.optionalWith(Schema.Array(DeferredCall.DeferredCall), { default: () => [] }),
    message: Schema.optional(Schema.String)
  })
)

const startServer = (asking: string, trace: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [asking, "http", trace], { stdio: ["ignore", "pipe", "inherit"] })
      const [port] = await once(createInterface({ input: child.stdout }), "line")
      return { child, url: `http://127.0.0.1:${String(port)}/` }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** A folder of its own, and what runs a process with it. Over HTTP, each process talks to a server of its own, too. */
const make = (over: "stdio" | "http") =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-deferred-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const trace = join(folder, "trace")
    const program = yield* bundleOf(new URL("child.ts", import.meta.url))
    const asking = yield* bundleOf("packages/mcp/test/fixtures/asking.mjs")
    const argsFor = (given: Json.JsonObject, url: string | undefined) => [
      program,
      folder,
      JSON.stringify(url === undefined ? { command: process.execPath, args: [asking, "stdio", trace] } : { url }),
      JSON.stringify(given)
    ]
    const run = (given: Json.JsonObject) =>
      Effect.scoped(
        Effect.gen(function* () {
          const url = over === "stdio" ? undefined : (yield* startServer(asking, trace)).url
          const { stdout } = yield* Effect.promise(() => promisify(execFile)(process.execPath, argsFor(given, url)))
          return yield* Schema.decode(Report)(stdout.trim().split("\n").at(-1) ?? "")
        })
      )
    return {
      begin: (tool: string) => run({ tool: `trips_${tool}` }),
      answer: (...answers: ReadonlyArray<DeferredCall.Answer>) =>
        Effect.flatMap(Schema.encode(Schema.Array(DeferredCall.Answer))(answers), (encoded) =>
          run({ answers: JSON.parse(JSON.stringify(encoded)) })
        ),
      spawn: (answer: DeferredCall.Answer): ChildProcess =>
        spawn(
          process.execPath,
          argsFor({ answers: [JSON.parse(JSON.stringify(Schema.encodeSync(DeferredCall.Answer)(answer)))] }, undefined),
          { stdio: "ignore" }
        ),
      effects: () => (existsSync(trace) ? readFileSync(trace, "utf8").trim().split("\n") : [])
    }
  })

const only = ({ message, requests: [request], result }: typeof Report.Type): DeferredCall.DeferredCall =>
  request ?? expect.unreachable(`nothing waits: ${result} ${message}`)

const accept = (key: string, content: Json.JsonObject) => ({ [key]: { action: "accept", content } })

describe("A call of an MCP server", () => {
  it.scopedLive("over stdio asks in two rounds, and each reply comes from another process", () =>
    Effect.gen(function* () {
      const { answer, begin, effects } = yield* make("stdio")
      const first = only(yield* begin("travel"))
      expect(first).toMatchObject({
        waitsFor: "input",
        input: {
          round: 1,
          asks: { seat: { method: "elicitation/create", params: { message: "Which seat?" } } },
          state: { requestState: expect.stringMatching(/^v1\./) }
        }
      })
      const second = only(yield* answer(DeferredCall.reply(first, accept("seat", { seat: "aisle" }))))
      expect(second.input).toMatchObject({
        round: 2,
        asks: { bags: { params: { message: "How many bags at the aisle?" } } }
      })
      expect(effects()).toEqual([])
      const ended = yield* answer(DeferredCall.reply(second, accept("bags", { bags: 2 })))
      expect(ended).toMatchObject({ result: "Finished", read: ["travel aisle 2"] })
      expect(effects()).toEqual(["travel aisle 2"])
    })
  )

  it.scopedLive("over HTTP may be declined, and the server says what comes of it", () =>
    Effect.gen(function* () {
      const { answer, begin, effects } = yield* make("http")
      const request = only(yield* begin("book"))
      const ended = yield* answer(DeferredCall.reply(request, { seat: { action: "decline" } }))
      expect(ended).toMatchObject({ result: "Finished", read: ["not booked: decline"] })
      expect(effects()).toEqual([])
    })
  )

  it.scopedLive("is uncertain where a process was killed between the reply and the end", () =>
    Effect.gen(function* () {
      const { answer, begin, effects, spawn: start } = yield* make("stdio")
      const request = only(yield* begin("hang"))
      const reply = DeferredCall.reply(request, accept("seat", { seat: "aisle" }))
      const child = start(reply)
      yield* Effect.repeat(Effect.delay(Effect.sync(effects), 50), { until: (lines) => lines.length > 0 })
      child.kill("SIGKILL")
      const ended = yield* answer(reply)
      expect(ended).toMatchObject({
        result: "Finished",
        read: [expect.stringContaining("may already have taken effect")]
      })
      expect(effects()).toEqual(["hangs"])
    })
  )
})
