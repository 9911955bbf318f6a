import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { bundleOf } from "../../../test/programs.js"
import { callsOf, type Message, openPage, until, wordsOf } from "./page.js"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-chat-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const kinds = ["file", "postgres", "records"] as const

/** What AG-UI is sent, and the text and the interrupt that come back. */
const ask = async (url: string, input: object) => {
  const response = await fetch(`${url}/agent`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ threadId: "chat 1", runId: "r", messages: [], tools: [], context: [], ...input })
  })
  const sent = await response.text()
  const text = Array.from(sent.matchAll(/"type":"TEXT_MESSAGE_CONTENT".*?"delta":"([^"]*)"/g), ([, delta]) => delta)
  const interrupt = /"interrupts":\[\{"id":"([^"]+)"/.exec(sent)?.[1]
  return { status: response.status, text: text.join(""), interrupt, sent }
}

/** Starts servers over one store, each a process of its own. */
const serversOver = (kind: (typeof kinds)[number]) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const paid = join(folder, "paid")
    yield* Effect.sync(() => writeFileSync(paid, ""))
    const place =
      kind === "postgres"
        ? (yield* Effect.provide(Postgres.Postgres, yield* Layer.build(Layer.fresh(Postgres.layer)))).url
        : join(folder, "store")
    const program = yield* bundleOf(new URL("storeServer.ts", import.meta.url))
    const start = (stop = "") =>
      Effect.flatMap(
        Effect.acquireRelease(
          Effect.sync(() => {
            const child = spawn(process.execPath, [program, kind, place, paid, stop], {
              stdio: ["pipe", "pipe", "inherit"]
            })
            const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
            const gone = new Promise<void>((resolve) => child.once("close", () => resolve()))
            const kill = () => {
              child.kill("SIGKILL")
              return gone
            }
            const says = async (word: string): Promise<string> => {
              for (;;) {
                const { done, value } = await lines.next()
                if (done === true) throw new Error(`The server ended before it said "${word}"`)
                if (value.startsWith(word)) return value
              }
            }
            return { kill, says, goOn: () => void child.stdin.write("\n") }
          }),
          ({ kill }) => Effect.promise(kill)
        ),
        (server) =>
          Effect.map(
            Effect.promise(() => server.says("http")),
            (url) => ({ ...server, url })
          )
      )
    return { start, timesPaid: () => readFileSync(paid, "utf8").split("\n").length - 1 }
  })

const past = async (url: string) => {
  const response = await fetch(`${url}/api/chat/chat%201`)
  return ((await response.json()) as { readonly messages: ReadonlyArray<Message> }).messages
}

const refusalOf = async (doing: Promise<unknown>, page: { readonly error: Error | undefined }) => {
  await doing
  return page.error?.message
}

/** The end of an answer comes when it is stored, and its words come before. */
const isToldOf = (page: ReturnType<typeof openPage>): boolean =>
  page.status === "ready" && wordsOf(page).includes("It is paid.")

describe.each(kinds)("two processes over one store (%s)", (kind) => {
  it.live("keep the answer that one is writing, and the other refuses messages until it is there", () =>
    Effect.gen(function* () {
      const { start } = yield* serversOver(kind)
      const one = yield* start()
      const other = yield* start()
      yield* Effect.promise(async () => {
        const first = openPage({ url: one.url, id: "chat 1" })
        const asked = first.sendMessage({ text: "Slowly" })
        await one.says("reached")

        const messages = await past(other.url)
        const second = openPage({ url: other.url, id: "chat 1", messages })
        expect(await refusalOf(second.sendMessage({ text: "And now?" }), second)).toContain("RunGoesOn")
        // The same message again, and another answer to it.
        const third = openPage({ url: other.url, id: "chat 1", messages })
        expect(await refusalOf(third.regenerate(), third)).toContain("RunGoesOn")

        one.goOn()
        await asked
        expect(wordsOf(first)).toEqual(["Slowly", "Slowly: yes."])
        const next = openPage({ url: other.url, id: "chat 1", messages: await past(other.url) })
        await next.sendMessage({ text: "And now?" })
        const words = ["Slowly", "Slowly: yes.", "And now?", "And now?: yes."]
        expect(wordsOf(next)).toEqual(words)
        expect(wordsOf({ messages: await past(one.url) })).toEqual(words)
      })
    }).pipe(Effect.scoped)
  )
})

describe("two processes over one Postgres", () => {
  it.live("do not wait for one that was killed in its answer", () =>
    Effect.gen(function* () {
      const { start } = yield* serversOver("postgres")
      const one = yield* start()
      const other = yield* start()
      yield* Effect.promise(async () => {
        const first = openPage({ url: one.url, id: "chat 1" })
        const asked = first.sendMessage({ text: "Slowly" })
        await one.says("reached")
        await one.kill()
        await asked
        const second = openPage({ url: other.url, id: "chat 1", messages: await past(other.url) })
        await second.sendMessage({ text: "And now?" })
        expect(wordsOf(second)).toEqual(["Slowly", "And now?", "And now?: yes."])
      })
    }).pipe(Effect.scoped)
  )

  it.live("pay once where both are given the answer at once", () =>
    Effect.gen(function* () {
      const { start, timesPaid } = yield* serversOver("postgres")
      const servers = [yield* start(), yield* start()]
      yield* Effect.promise(async () => {
        const first = openPage({ url: servers[0]!.url, id: "chat 1" })
        await first.sendMessage({ text: "Pay" })
        const messages = await past(servers[1]!.url)
        const pages = servers.map(({ url }) => openPage({ url, id: "chat 1", messages }))
        for (const page of pages) {
          page.addToolApprovalResponse({ id: callsOf(page)[0]?.approval?.id ?? "", approved: true })
        }
        for (const page of pages) await until(page, () => isToldOf(page))
        expect(wordsOf({ messages: await past(servers[0]!.url) })).toEqual(["Pay", "It is paid."])
      })
      expect(timesPaid()).toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live.each(["before the effect", "after the effect"])("pay at most once where one was killed %s", (stop) =>
    Effect.gen(function* () {
      const { start, timesPaid } = yield* serversOver("postgres")
      const one = yield* start(stop)
      const other = yield* start()
      yield* Effect.promise(async () => {
        const first = openPage({ url: one.url, id: "chat 1" })
        await first.sendMessage({ text: "Pay" })
        const approve = (page: typeof first) =>
          page.addToolApprovalResponse({ id: callsOf(page)[0]?.approval?.id ?? "", approved: true })
        const messages = await past(other.url)
        approve(first)
        await one.says("reached")
        await one.kill()
        const second = openPage({ url: other.url, id: "chat 1", messages })
        approve(second)
        await until(second, () => isToldOf(second))
        // Whether it was paid is not known, and the model reads so.
        expect(callsOf({ messages: await past(other.url) })).toMatchObject([{ state: "output-error" }])
      })
      expect(timesPaid()).toBe(stop === "before the effect" ? 0 : 1)
    }).pipe(Effect.scoped)
  )

  it.live("take by AG-UI the answer to what the other has asked, at once and again, and no other", () =>
    Effect.gen(function* () {
      const { start, timesPaid } = yield* serversOver("postgres")
      const one = yield* start()
      const other = yield* start()
      yield* Effect.promise(async () => {
        const asked = await ask(one.url, { messages: [{ id: "m1", role: "user", content: "Pay" }] })
        const answer = (url: string, approved: boolean) =>
          ask(url, { resume: [{ interruptId: asked.interrupt, status: "resolved", payload: { approved } }] })
        const both = await Promise.all([answer(other.url, true), answer(one.url, true)])
        for (const { status, text } of [...both, await answer(other.url, true)]) {
          expect([status, text]).toEqual([200, "It is paid."])
        }
        const late = await answer(other.url, false)
        expect(late).toMatchObject({ status: 409, sent: expect.stringContaining("by an approval") })
      })
      expect(timesPaid()).toBe(1)
    }).pipe(Effect.scoped)
  )
})
