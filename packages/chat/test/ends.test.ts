import { describe, expect, it } from "@effect/vitest"
import { Agent, ConversationStore } from "@wield/agent"
import { AgUi, Chat, Pages, UiMessages } from "@wield/chat"
import { Json, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Deferred, Effect, Exit, Scope } from "effect"
import { chunksOf, direct, readUntil } from "./direct.js"
import { callsOf, wordsOf } from "./page.js"
import { makeShop, secrets } from "./shop.js"

const { call, text, turn, wait } = ScriptedModel

const scoped = <A, E>(effect: Effect.Effect<A, E, ConversationStore.ConversationStore | Scope.Scope>) =>
  effect.pipe(Effect.scoped, Effect.provide(ConversationStore.layerMemory))

const refund = (amount: number, id: string) => call("refund", { order: `o${amount}`, amount }, { id })

const authorize = (request: Request) => Effect.succeed({ user: request.headers.get("x-user") ?? "" })

/** The chat of an agent with this model alone. */
const talk = (options: object, script: Parameters<typeof ScriptedModel.make>[0]) =>
  Effect.gen(function* () {
    const agent = yield* Agent.make({ model: yield* ScriptedModel.make(script), ...options } as Agent.Config<
      {},
      never,
      never,
      never,
      never,
      never,
      never,
      never,
      never,
      never,
      never
    >)
    return yield* Chat.make({ agent, authorize, whenPageLeaves: "goOn" })
  })

describe("a run that is stopped", () => {
  it.live("tells the pages of both protocols so", () =>
    scoped(
      Effect.gen(function* () {
        const chat = yield* talk({}, [turn(text("One, "), wait(Effect.never)), turn(text("Two, "), wait(Effect.never))])
        const page = direct(UiMessages.handler(chat))
        const ofAgUi = AgUi.handler(chat)
        yield* Effect.promise(async () => {
          const stream = chunksOf(page.say("m1", "Count"))
          const other = await ofAgUi(
            new Request("http://localhost/agent/connect", {
              method: "POST",
              headers: { "x-user": "ada", "content-type": "application/json" },
              body: JSON.stringify({ threadId: "chat 1", runId: "r", messages: [], tools: [], context: [] })
            })
          )
          expect((await page.stop()).status).toBe(204)
          expect((await stream).at(-1)?.type).toBe("abort")
          expect((await chunksOf(other)).at(-1)).toMatchObject({
            type: "RUN_FINISHED",
            outcome: { type: "cancelled" }
          })
        })
      })
    )
  )

  it.live("leaves what the model had said on the page, where the agent keeps it", () =>
    scoped(
      Effect.gen(function* () {
        const chat = yield* talk({ whenInterrupted: "keep" }, [turn(text("One, "), wait(Effect.never)), text("Two.")])
        const page = direct(UiMessages.handler(chat))
        yield* Effect.promise(async () => {
          const { reader } = await readUntil(await page.say("m1", "Count"), "One, ")
          expect((await page.stop()).status).toBe(204)
          await reader?.cancel()
          expect(wordsOf({ messages: await page.past() })).toEqual(["Count", "One, "])
          expect((await chunksOf(page.say("m2", "Go on"))).at(-1)?.type).toBe("finish")
          expect(wordsOf({ messages: await page.past() })).toEqual(["Count", "One, ", "Go on", "Two."])
        })
      })
    )
  )

  it.live("before its first event leaves no request without a response, and the conversation goes on", () =>
    scoped(
      Effect.gen(function* () {
        const isBegun = yield* Deferred.make<void>()
        let times = 0
        const prepare = () =>
          times++ === 0 ? Effect.zipRight(Deferred.succeed(isBegun, undefined), Effect.never) : Effect.succeed({})
        const chat = yield* talk({ prepare }, [text("Two.")])
        const page = direct(UiMessages.handler(chat))
        yield* Effect.promise(async () => {
          const response = page.say("m1", "Count")
          await Effect.runPromise(Deferred.await(isBegun))
          expect((await page.stop()).status).toBe(204)
          expect((await chunksOf(response)).at(-1)?.type).toBe("abort")
          expect((await chunksOf(page.say("m1", "Count"))).at(-1)?.type).toBe("finish")
        })
      })
    )
  )

  it.live("with its server leaves no request without a response, then or later", () =>
    scoped(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const chat = yield* Scope.extend(talk({}, [turn(text("One, "), wait(Effect.never))]), scope)
        const page = direct(UiMessages.handler(chat))
        yield* Effect.promise(async () => {
          const response = await page.say("m1", "Count")
          await Effect.runPromise(Scope.close(scope, Exit.void))
          expect((await chunksOf(response)).at(-1)?.type).toBe("abort")
          expect((await chunksOf(page.say("m1", "Count"))).at(-1)?.type).toBe("abort")
        })
      })
    )
  )

  it.live("while a call waits takes the approval that its page was asked for", () =>
    scoped(
      Effect.gen(function* () {
        const shop = yield* makeShop({
          script: [turn(refund(5, "c1"), text("And"), wait(Effect.never)), text("Paid.")]
        })
        const page = direct(UiMessages.handler(shop.chat))
        yield* Effect.promise(async () => {
          const { text, reader } = await readUntil(await page.say("m1", "Pay me back"), "approvalId")
          await reader?.cancel()
          await page.stop()
          expect(callsOf({ messages: await page.past() })).toMatchObject([{ state: "approval-requested" }])
          const id = /"approvalId":"([^"]+)"/.exec(text)?.[1] ?? ""
          expect((await chunksOf(page.answer(id, "approve"))).at(-1)?.type).toBe("finish")
          expect(shop.paid).toEqual([[secrets.customer, 5]])
        })
      })
    )
  )
})

describe("a page that was cut off behind the result of its own tool", () => {
  const send = (handle: (request: Request) => Promise<Response>, body: object) =>
    handle(
      new Request("http://localhost/api/chat", {
        method: "POST",
        headers: { "x-user": "ada", "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    )
  const ofUiMessages = (value: string) => {
    const part = { type: "tool-map", toolCallId: "c1", state: "output-available", input: {}, output: value }
    return { id: "chat 1", messages: [{ id: "a1", role: "assistant", parts: [part] }] }
  }
  const ofAgUi = (content: string) => {
    const messages = [{ id: "t1", role: "tool", toolCallId: "c1", content }]
    return { threadId: "chat 1", runId: "r1", tools: [], messages }
  }
  it.live.each<readonly [string, (value: string) => object]>([
    ["the UI message stream", ofUiMessages],
    ["AG-UI", ofAgUi]
  ])("sends it by %s again and has the answer, and no other result is taken", ([, bodyOf]) =>
    scoped(
      Effect.gen(function* () {
        const asked = turn(call("map", { place: "Oslo" }, { id: "c1" }))
        const look = turn(call("find", { text: "Oslo" }, { id: "c2" }))
        const cutOff = turn(text("It "), wait(Effect.never))
        const shop = yield* makeShop({ script: [asked, look, cutOff, text("It is there.")] })
        const handle = Pages.handler(shop.chat)
        yield* Effect.promise(async () => {
          await chunksOf(direct(handle).say("m1", "Where is Oslo?"))
          const { reader } = await readUntil(await send(handle, bodyOf("shown")), "It ")
          await reader?.cancel()
          await direct(handle).stop()
          const other = await send(handle, bodyOf("hidden"))
          expect([other.status, await other.json()]).toMatchObject([409, { code: "NotWaiting" }])
          // The text comes in pieces.
          const again = await chunksOf(send(handle, bodyOf("shown")))
          expect(again.map(({ delta }) => delta ?? "").join("")).toBe("It is there.")
          expect(wordsOf({ messages: await direct(handle).past() })).toEqual(["Where is Oslo?", "It is there."])
        })
      })
    )
  )
})

describe("a process that was killed", () => {
  it.live("after it has asked, before it could keep that: another one asks again", () =>
    scoped(
      Effect.gen(function* () {
        const { chat, paid, store } = yield* makeShop({ script: [turn(refund(7, "c2")), text("Paid."), text("Hi.")] })
        const page = direct(UiMessages.handler(chat))
        yield* Effect.promise(async () => {
          await chunksOf(page.say("m1", "Pay me back"))
          // What a kill leaves: the call stands there, and nothing of its request.
          await Effect.runPromise(store.update("chat 1", { metadata: Chat.metadataOf("ada") }))
          // Nothing is shown that could be answered, so a message is refused, and then it is.
          expect(callsOf({ messages: await page.past() })).toMatchObject([{ state: "input-available" }])
          const refused = await chunksOf(page.say("m2", "Hello?"))
          expect(refused.map(({ type }) => type)).toEqual(["start", "error"])
          const [waiting] = callsOf({ messages: await page.past() })
          expect(waiting).toMatchObject({ state: "approval-requested" })
          // The same with an answer.
          await Effect.runPromise(store.update("chat 1", { metadata: Chat.metadataOf("ada") }))
          const request = waiting?.approval?.id ?? ""
          const again = await chunksOf(page.answer(request, "approve"))
          expect(again.find(({ type }) => type === "tool-approval-request")).toMatchObject({ approvalId: request })
          expect(paid).toEqual([])
          expect((await chunksOf(page.answer(request, "approve"))).at(-1)?.type).toBe("finish")
          expect(paid).toEqual([[secrets.customer, 7]])
        })
      })
    )
  )
})

/** A store that takes its time, the more for the second run. */
const slowly = Effect.map(ConversationStore.ConversationStore, (store) => {
  let opened = 0
  return {
    ...store,
    summary: (id: string) => Effect.zipRight(Effect.sleep("20 millis"), store.summary(id)),
    open: (id: string) => Effect.zipRight(Effect.sleep(opened++ === 1 ? "100 millis" : 0), store.open(id))
  }
})

describe("a store that takes its time", () => {
  it.live("lets nobody keep a user from a conversation by asking for it", () =>
    scoped(
      Effect.gen(function* () {
        const chat = yield* Effect.provideServiceEffect(
          talk({}, [text("One."), text("Two."), text("Three.")]),
          ConversationStore.ConversationStore,
          slowly
        )
        const [ada, eve] = ["ada", "eve"].map((user) => direct(UiMessages.handler(chat), user))
        yield* Effect.promise(async () => {
          await chunksOf(ada?.say("m1", "Hello") ?? Response.error())
          const theirs = eve?.say("m8", "Mine")
          const past = ada?.past()
          const own = await ada?.say("m2", "Still there?")
          expect([(await theirs)?.status, own?.status]).toEqual([404, 200])
          expect((await past)?.length).toBeGreaterThanOrEqual(2)
        })
      })
    )
  )

  it.live("shows the whole past while a run begins", () =>
    scoped(
      Effect.gen(function* () {
        const chat = yield* Effect.provideServiceEffect(
          talk({}, [text("One."), text("Two.")]),
          ConversationStore.ConversationStore,
          slowly
        )
        const page = direct(UiMessages.handler(chat))
        yield* Effect.promise(async () => {
          await chunksOf(page.say("m1", "Hello"))
          const second = page.say("m2", "And?")
          await new Promise((resolve) => setTimeout(resolve, 50))
          expect(wordsOf({ messages: await page.past() }).slice(0, 2)).toEqual(["Hello", "One."])
          await chunksOf(second)
        })
      })
    )
  )
})

describe("what is kept of requests", () => {
  it.live("leaves the program's own metadata as it has become, and does not grow without end", () =>
    scoped(
      Effect.gen(function* () {
        const store = yield* ConversationStore.ConversationStore
        const long = "x".repeat(30_000)
        const toolset = yield* Toolset.dynamic([
          {
            name: "pin",
            execute: () =>
              Effect.orDie(
                Effect.flatMap(store.summary("chat 1"), ({ metadata }) =>
                  store.update("chat 1", { metadata: { ...metadata, isPinned: true } })
                )
              )
          },
          { name: "map", facts: { kind: "client" as const }, execute: () => Effect.void }
        ])
        const turns = Array.from({ length: 10 }, (_, index) => [
          turn(call("pin", {}, { id: `p${index}` }), call("map", { long }, { id: `c${index}` })),
          text("Done.")
        ])
        const chat = yield* talk({ toolset }, turns.flat())
        const page = direct(UiMessages.handler(chat))
        yield* Effect.promise(async () => {
          for (let index = 0; index < 10; index++) {
            await chunksOf(page.say(`m${index}`, "Go"))
            const { metadata } = await Effect.runPromise(store.summary("chat 1"))
            const { requests } = metadata["chat"] as { readonly requests: ReadonlyArray<{ readonly id: string }> }
            expect((await chunksOf(page.answer(requests.at(-1)?.id ?? "", { result: "seen" }))).at(-1)?.type).toBe(
              "finish"
            )
          }
        })
        const { metadata } = yield* store.summary("chat 1")
        expect(metadata["isPinned"]).toBe(true)
        expect(Json.canonical(metadata).length).toBeLessThan(300_000)
      })
    )
  )

  it.live("asks once for what still waits when one of two calls is denied", () =>
    scoped(
      Effect.gen(function* () {
        const { chat } = yield* makeShop({ script: [turn(refund(5, "c1"), refund(6, "c2")), text("Paid.")] })
        const page = direct(UiMessages.handler(chat))
        yield* Effect.promise(async () => {
          const asked = await chunksOf(page.say("m1", "Pay me back"))
          const [first] = asked.filter(({ type }) => type === "tool-approval-request")
          const rest = await chunksOf(page.answer(first?.["approvalId"] as string, { deny: "no" }))
          expect(rest.map(({ toolCallId, type }) => `${type} ${toolCallId ?? ""}`)).toEqual([
            "start ",
            "tool-output-denied c1",
            "tool-approval-request c2",
            "finish "
          ])
        })
      })
    )
  )

  it.live("tells an answer that comes again late in the message that has its call", () =>
    scoped(
      Effect.gen(function* () {
        const shop = yield* makeShop({ script: [turn(refund(5, "c1")), text("Paid."), text("Hello.")] })
        const page = direct(UiMessages.handler(shop.chat))
        yield* Effect.promise(async () => {
          const asked = await chunksOf(page.say("m1", "Pay me back"))
          const id = asked.find(({ type }) => type === "tool-approval-request")?.["approvalId"] as string
          await chunksOf(page.answer(id, "approve"))
          await chunksOf(page.say("m2", "Hello"))
          const again = await chunksOf(page.answer(id, "approve"))
          expect(again[0]).toEqual(asked[0])
          expect(shop.paid.length).toBe(1)
        })
      })
    )
  )
})
