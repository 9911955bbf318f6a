import { expect, it } from "@effect/vitest"
import { Agent } from "@wield/agent"
import { Chat, Pages } from "@wield/chat"
import { AgentEntity, Cluster } from "@wield/cluster"
import { Approval, Journal, Toolset } from "@wield/core"
import { FunctionModel, ScriptedModel } from "@wield/testing"
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { callsOf, type Message, openPage, until, wordsOf } from "./page.js"
import { serve } from "./shop.js"

const { call, text, turn } = ScriptedModel

const Shop = AgentEntity.make("shop")

const temporaryPath = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-chat-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "shop.db")
)

const makeAgent = (wait: Effect.Effect<void>, paid: Array<unknown>) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([
      {
        name: "pay",
        inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
        execute: (parameters) => Effect.sync(() => void paid.push(parameters))
      }
    ])
    const model = yield* FunctionModel.make(({ messages }) =>
      Effect.succeed(
        messages.at(-1)?._tag === "User"
          ? turn(text("One moment."), call("pay", { amount: 5 }, { id: "c1" }))
          : turn(text("It is, "), ScriptedModel.wait(wait), text("paid."))
      )
    )
    const policy = { journal: yield* Journal.Journal, approval: () => Approval.ask("it costs money") }
    return yield* Agent.make({ model, toolset, policy })
  })

/** A shop in a cluster of this process, over a file; `wait` holds the last turn up. */
const inCluster = (path: string, wait: Effect.Effect<void>, paid: Array<unknown>) =>
  Shop.toLayer(makeAgent(wait, paid)).pipe(Layer.provideMerge(Cluster.layerFile({ path, synchronous: "normal" })))

const serveChat = (client: Effect.Effect.Success<typeof Shop.client>) =>
  Effect.gen(function* () {
    const chat = yield* Chat.fromClient({
      client,
      whenPageLeaves: "goOn",
      authorize: (request) => Effect.succeed({ user: request.headers.get("x-user") ?? "" })
    })
    return yield* serve(Pages.handler(chat, { version: 7 }))
  })

it.live("a page reads on and answers what another process has begun", () =>
  Effect.gen(function* () {
    const goOn = yield* Deferred.make<void>()
    const paid: Array<unknown> = []
    yield* Effect.gen(function* () {
      const client = yield* Shop.client
      const web = serveChat(client)
      const [one, two, three] = [yield* web, yield* web, yield* web]
      const past = async (url: string) => {
        const response = await fetch(`${url}/api/chat/chat%201`, { headers: { "x-user": "ada" } })
        return ((await response.json()) as { readonly messages: ReadonlyArray<Message> }).messages
      }
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
        await until(first, () => wordsOf(first).includes("It is, paid."))
        await until(second, () => wordsOf(second).includes("It is, paid."))
        for (const page of [first, second, third]) {
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
    }).pipe(Effect.scoped, Effect.provide(inCluster(yield* temporaryPath, Deferred.await(goOn), paid)))
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
    }).pipe(Effect.scoped, Effect.provide(inCluster(yield* temporaryPath, Effect.never, paid)))
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
    }).pipe(Effect.scoped, Effect.provide(inCluster(yield* temporaryPath, Deferred.await(goOn), paid)))
    expect(paid.length).toBe(1)
  }).pipe(Effect.scoped)
)
