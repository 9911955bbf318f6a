/**
 * A web server with a chat over a store that others share: `storeServer.ts KIND PLACE PAID STOP`. It says its address, and
 * "reached" where it stops: before or after the effect of its tool. A slow answer says so too, and ends by a line.
 */
import { PgClient } from "@effect/sql-pg"
import { appendFileSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Agent } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import * as RecordStore from "@wield/agent/RecordStore"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { Chat, Pages } from "@wield/chat"
import { Approval, Journal, Toolset } from "@wield/core"
import { WebServer } from "@wield/http"
import { FunctionModel, ScriptedModel } from "@wield/testing"
import { Effect, Layer, Redacted } from "effect"

const [kind = "", place = "", paid = "", stop = ""] = process.argv.slice(2)
const { call, text, turn, wait } = ScriptedModel

/** A file for each text. */
const recordsIn = (folder: string): RecordStore.Records => {
  mkdirSync(folder, { recursive: true })
  const pathOf = (key: string) => join(folder, encodeURIComponent(key))
  let count = 0
  const write = (text: string) => {
    const path = join(folder, `%${process.pid}-${++count}`)
    writeFileSync(path, text)
    return path
  }
  const get = (key: string) => {
    try {
      return readFileSync(pathOf(key), "utf8")
    } catch {
      return undefined
    }
  }
  return {
    create: async (key, text) => {
      const written = write(text)
      try {
        linkSync(written, pathOf(key))
        return true
      } catch {
        return false
      } finally {
        rmSync(written)
      }
    },
    set: async (key, text) => writeFileSync(pathOf(key), text),
    get: async (key) => get(key),
    delete: async (key) => rmSync(pathOf(key), { force: true }),
    list: async (prefix, after = "") =>
      readdirSync(folder)
        .filter((name) => !name.startsWith("%"))
        .map(decodeURIComponent)
        .filter((key) => key.startsWith(prefix) && key > after)
        .sort()
        .flatMap((key) => {
          const text = get(key)
          return text === undefined ? [] : [{ key, text }]
        })
  }
}

const postgres = () =>
  Layer.merge(SqlConversationStore.layer, SqlJournal.layer).pipe(
    Layer.provide(PgClient.layer({ url: Redacted.make(place) })),
    Layer.orDie
  )

const stores = {
  file: () => FileStore.layer({ path: place, synchronous: "normal" }),
  postgres,
  records: () => RecordStore.layer(recordsIn(place))
}

const reached = Effect.sync(() => console.log("reached"))
const at = (here: string) => (stop === here ? Effect.zipRight(reached, Effect.never) : Effect.void)
const lines = createInterface({ input: process.stdin })
const line = Effect.async<void>((resume) => void lines.once("line", () => resume(Effect.void)))

const program = Effect.gen(function* () {
  const toolset = yield* Toolset.dynamic([
    {
      name: "pay",
      inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
      execute: () =>
        at("before the effect").pipe(
          Effect.zipRight(Effect.sync(() => appendFileSync(paid, "5\n"))),
          Effect.zipRight(at("after the effect")),
          Effect.as("paid")
        )
    }
  ])
  const model = yield* FunctionModel.make(({ messages }) => {
    const last = messages.at(-1)
    if (last?._tag !== "User") return Effect.succeed(text("It is paid."))
    const asked = last.content.map((part) => (part._tag === "Text" ? part.text : "")).join("")
    if (asked === "Pay") return Effect.succeed(turn(call("pay", { amount: 5 })))
    const slowly = asked === "Slowly" ? [wait(Effect.zipRight(reached, line))] : []
    return Effect.succeed(turn(text(`${asked}: `), ...slowly, text("yes.")))
  })
  const policy = { journal: yield* Journal.Journal, approval: () => Approval.ask() }
  const agent = yield* Agent.make({ model, toolset, policy })
  const chat = yield* Chat.make({ agent, authorize: () => Effect.succeed({ user: "ada" }), whenPageLeaves: "goOn" })
  const handler = Pages.handler(chat, { version: 7 })
  const port = yield* WebServer.listen(handler, { host: "127.0.0.1", port: 0 })
  yield* Effect.sync(() => console.log(`http://127.0.0.1:${port}`))
  return yield* Effect.never
})

const store = kind === "file" || kind === "postgres" || kind === "records" ? stores[kind]() : undefined
if (store === undefined) throw new Error(`There is no store ${kind}`)
await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(store)))
