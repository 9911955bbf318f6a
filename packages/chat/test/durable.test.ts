import { expect, it } from "@effect/vitest"
import { Agent } from "@wield/agent"
import { Chat, Pages } from "@wield/chat"
import { AgentEntity, Cluster } from "@wield/cluster"
import { Journal, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundleOf } from "../../../test/programs.js"
import { inCluster, makeChat, Shop } from "./durableShop.js"
import { callsOf, type Message, openPage, until, wordsOf } from "./page.js"
import { serve } from "./shop.js"

const temporaryPath = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-chat-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "shop.db")
)

/** A shop in a cluster of this process; `wait` holds the last turn up. */
const inThisProcess = (path: string, wait: Effect.Effect<void>, paid: Array<unknown>) =>
  inCluster(path, { wait, pay: Effect.sync(() => void paid.push({ amount: 5 })) })

const serveChat = (client: Effect.Effect.Success<typeof Shop.client>) =>
  Effect.flatMap(makeChat(client), (chat) => serve(Pages.handler(chat, { version: 7 })))

const past = async (url: string) => {
  const response = await fetch(`${url}/api/chat/chat%201`, { headers: { "x-user": "ada" } })
  return ((await response.json()) as { readonly messages: ReadonlyArray<Message> }).messages
}

it.live("a page reads on and answers what another process has begun", () =>
  Effect.gen(function* () {
    const goOn = yield* Deferred.make<void>()
    const paid: Array<unknown> = []
    yield* Effect.gen(function* () {
      const client = yield* Shop.client
      const web = serveChat(client)
      const [one, two, three] = [yield* web, yield* web, yield* web]
      yield* Effect.promise(async () => {
        const first = openPage({ url: one, id: "chat 1" })
        await first.sendMessage({ text: "Pay Ada" })
        expect(callsOf(first)).toMatchObject([{ state: "approval-requested", input: { amount: 5 } }])

        // Another process asks the same, and takes the answer.
        const second = openPage({ url: two, id: "chat 1", messages: await past(two) })
        expect(callsOf(second)).toMatchObject([{ state: "approval-requested" }])
        second.addToolApprovalResponse({ id: callsOf(second)[0]?.approval?.id ?? "", approved: true })
        await until(second, () => wordsOf(second).includes("It is, "))

        // A third one reads on while the run goes on, and the first gives the same answer again.
        const before = await past(three)
        expect(wordsOf({ messages: before })).toEqual(["Pay Ada", "One moment."])
        const third = openPage({ url: three, id: "chat 1", messages: before })
        const resumed = third.resumeStream()
        first.addToolApprovalResponse({ id: callsOf(first)[0]?.approval?.id ?? "", approved: true })
        await until(third, () => wordsOf(third).includes("It is, "))
        await Effect.runPromise(Deferred.succeed(goOn, undefined))
        await resumed
        for (const page of [first, second, third]) {
          await until(page, () => page.status === "ready" && wordsOf(page).includes("It is, paid."))
          expect(wordsOf(page)).toEqual(["Pay Ada", "One moment.", "It is, paid."])
          expect(callsOf(page)).toMatchObject([{ state: "output-available" }])
        }
        expect(paid).toEqual([{ amount: 5 }])
        expect(wordsOf({ messages: await past(one) })).toEqual(["Pay Ada", "One moment.", "It is, paid."])

        // The same answer after all is over reads the same, and another one is refused.
        const late = async (reply: unknown) => {
          const id = callsOf(first)[0]?.approval?.id
          const response = await fetch(`${three}/api/chat`, {
            method: "POST",
            headers: { "content-type": "application/json", "x-user": "ada" },
            body: JSON.stringify({ id: "chat 1", answers: [{ id, reply }] })
          })
          return { status: response.status, text: await response.text() }
        }
        expect((await late("approve")).text).toContain("paid.")
        expect((await late({ deny: "no" })).status).toBe(409)
        expect(paid.length).toBe(1)
        await first.regenerate()
        expect(first.error?.message).toContain("answered once")
      })
    }).pipe(Effect.scoped, Effect.provide(inThisProcess(yield* temporaryPath, Deferred.await(goOn), paid)))
  }).pipe(Effect.scoped)
)

it.live("a page stops what another process has begun, and what is left of it", () =>
  Effect.gen(function* () {
    const paid: Array<unknown> = []
    yield* Effect.gen(function* () {
      const client = yield* Shop.client
      const [one, two] = [yield* serveChat(client), yield* serveChat(client)]
      yield* Effect.promise(async () => {
        const page = openPage({ url: one, id: "chat 1" })
        await page.sendMessage({ text: "Pay Ada" })
        page.addToolApprovalResponse({ id: callsOf(page)[0]?.approval?.id ?? "", approved: true })
        await until(page, () => wordsOf(page).includes("It is, "))
        const stop = (user: string) =>
          fetch(`${two}/api/chat/chat%201/stream`, { method: "DELETE", headers: { "x-user": user } })
        expect((await stop("eve")).status).toBe(404)
        expect((await stop("ada")).status).toBe(204)
        await until(page, () => page.status === "ready")
        expect(page.error).toBe(undefined)
      })
      expect(yield* client.status("chat 1")).toMatchObject({ state: "Cancelled" })
    }).pipe(Effect.scoped, Effect.provide(inThisProcess(yield* temporaryPath, Effect.never, paid)))
    expect(paid.length).toBe(1)
  }).pipe(Effect.scoped)
)

it.live("a web server that closes leaves the run alone, and another reads it to its end", () =>
  Effect.gen(function* () {
    const goOn = yield* Deferred.make<void>()
    const paid: Array<unknown> = []
    yield* Effect.gen(function* () {
      const client = yield* Shop.client
      const first = yield* Scope.make()
      const one = yield* Scope.extend(serveChat(client), first)
      const page = openPage({ url: one, id: "chat 1" })
      yield* Effect.promise(async () => {
        await page.sendMessage({ text: "Pay Ada" })
        page.addToolApprovalResponse({ id: callsOf(page)[0]?.approval?.id ?? "", approved: true })
        await until(page, () => wordsOf(page).includes("It is, "))
      })
      yield* Scope.close(first, Exit.void)
      expect(yield* client.status("chat 1")).toMatchObject({ state: "Running" })
      const two = yield* serveChat(client)
      yield* Effect.promise(async () => {
        const again = openPage({ url: two, id: "chat 1" })
        const resumed = again.resumeStream()
        await until(again, () => wordsOf(again).includes("It is, "))
        await Effect.runPromise(Deferred.succeed(goOn, undefined))
        await resumed
        expect(wordsOf(again)).toEqual(["One moment.", "It is, paid."])
      })
    }).pipe(Effect.scoped, Effect.provide(inThisProcess(yield* temporaryPath, Deferred.await(goOn), paid)))
    expect(paid.length).toBe(1)
  }).pipe(Effect.scoped)
)

it.live("a message comes behind the result of the page's own tool that came with it", () =>
  Effect.gen(function* () {
    const { call, text, turn } = ScriptedModel
    const model = yield* ScriptedModel.make([
      turn(call("map", { place: "Rome" }, { id: "c1" })),
      text("There it is."),
      text("It is sunny.")
    ])
    const Guide = AgentEntity.make("guide")
    const guide = Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([{ name: "map", facts: { kind: "client" }, execute: () => Effect.void }])
      return yield* Agent.make({ model, toolset, policy: { journal: yield* Journal.Journal } })
    })
    const path = yield* temporaryPath
    yield* Effect.gen(function* () {
      const chat = yield* Chat.fromClient({
        client: yield* Guide.client,
        authorize: () => Effect.succeed({ user: "ada" })
      })
      const url = yield* serve(Pages.handler(chat, { version: 7 }))
      yield* Effect.promise(async () => {
        const first = openPage({ url, id: "chat 1" })
        await first.sendMessage({ text: "Where is Rome?" })
        const messages = first.messages.map((message) => ({
          ...message,
          parts: message.parts.map((part) =>
            part.toolCallId === "c1" ? { ...part, state: "output-available", output: "shown" } : part
          )
        }))
        const page = openPage({ url, id: "chat 1", messages })
        await page.sendMessage({ text: "And the weather?" })
        expect(page.error).toBe(undefined)
        const words = ["Where is Rome?", "And the weather?", "There it is.", "It is sunny."]
        expect([wordsOf(page), wordsOf({ messages: await past(url) }).length]).toEqual([words, words.length])
        expect(JSON.stringify(Effect.runSync(model.requests).at(-1)?.messages)).toContain("shown")
      })
    }).pipe(
      Effect.scoped,
      Effect.provide(Guide.toLayer(guide).pipe(Layer.provideMerge(Cluster.layerFile({ path, synchronous: "normal" }))))
    )
  }).pipe(Effect.scoped)
)

/** A web server that is a runner too, in a process of its own. */
const startServer = (path: string, port: number, stop: string) =>
  Effect.acquireRelease(
    Effect.map(bundleOf(new URL("durableServer.ts", import.meta.url)), (program) => {
      const child = spawn(process.execPath, [program, path, String(port), stop], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const gone = new Promise<void>((resolve) => child.once("close", () => resolve()))
      const kill = () => {
        child.kill("SIGKILL")
        return gone
      }
      // Whatever else the process says comes before it.
      const says = async (word: string): Promise<string> => {
        for (;;) {
          const { done, value } = await lines.next()
          if (done === true) throw new Error(`The server ended before it said "${word}"`)
          if (value.startsWith(word)) return value.slice(word.length).trim()
        }
      }
      return { kill, says }
    }),
    ({ kill }) => Effect.promise(kill)
  )

it.live.each(["before the effect", "after the effect", "in the answer"])(
  "a page reads on at the next server where its own was killed %s",
  (stop) =>
    Effect.gen(function* () {
      const path = yield* temporaryPath
      const first = yield* startServer(path, 0, stop)
      const url = yield* Effect.promise(() => first.says("http"))
      const page = openPage({ url: `http${url}`, id: "chat 1" })
      yield* Effect.promise(async () => {
        await page.sendMessage({ text: "Pay Ada" })
        page.addToolApprovalResponse({ id: callsOf(page)[0]?.approval?.id ?? "", approved: true })
        await first.says("reached")
        if (stop === "in the answer") await until(page, () => wordsOf(page).includes("It is, "))
        await first.kill()
      })
      const second = yield* startServer(path, Number(new URL(`http${url}`).port), "never")
      yield* Effect.promise(async () => {
        await second.says("http")
        const reloaded = openPage({ url: `http${url}`, id: "chat 1", messages: await past(`http${url}`) })
        await reloaded.resumeStream()
        await until(reloaded, () => wordsOf(reloaded).includes("It is, paid."))
        expect(wordsOf(reloaded)).toEqual(["Pay Ada", "One moment.", "It is, paid."])
        expect(wordsOf({ messages: await past(`http${url}`) })).toEqual(["Pay Ada", "One moment.", "It is, paid."])
        const state = stop === "in the answer" ? "output-available" : "output-error"
        expect(callsOf(reloaded)).toMatchObject([{ state }])
      })
      const paid = stop === "before the effect" ? "" : "5\n"
      expect(readFileSync(`${path}.paid`, "utf8")).toBe(paid)
    }).pipe(Effect.scoped)
)
