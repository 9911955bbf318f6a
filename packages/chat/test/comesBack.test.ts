import { describe, expect, it } from "@effect/vitest"
import { Agent, Conversation, ConversationStore, Stop } from "@wield/agent"
import { Chat, UiMessages } from "@wield/chat"
import { ApiError } from "@wield/providers"
import { ScriptedModel } from "@wield/testing"
import { Deferred, Effect, type Scope } from "effect"
import { callsOf, type Message, openPage, until, wordsOf } from "./page.js"
import { makeShop, secrets, serve } from "./shop.js"

const { broken, call, fail, text, turn, wait } = ScriptedModel

const noKey = new ApiError.NotAuthorized({ format: "x", detail: "no key" })

const served = (options: Parameters<typeof makeShop>[0]) =>
  Effect.gen(function* () {
    const shop = yield* makeShop(options)
    const url = yield* serve(UiMessages.handler(shop.chat, { version: 7 }))
    const past = async (user = "ada") => {
      const response = await fetch(`${url}/api/chat/chat%201`, { headers: { "x-user": user } })
      return ((await response.json()) as { readonly messages: ReadonlyArray<Message> }).messages
    }
    return {
      ...shop,
      url,
      past,
      open: (messages: ReadonlyArray<Message> = []) => openPage({ url, id: "chat 1", messages })
    }
  })

const scoped = <A, E>(effect: Effect.Effect<A, E, ConversationStore.ConversationStore | Scope.Scope>) =>
  effect.pipe(Effect.scoped, Effect.provide(ConversationStore.layerMemory))

describe("a page that comes back", () => {
  it.live("reads on in mid-stream without loss or repetition, also when the run ends in between", () =>
    scoped(
      Effect.gen(function* () {
        const goOn = yield* Deferred.make<void>()
        const end = yield* Deferred.make<void>()
        const { open, past } = yield* served({
          chat: { whenPageLeaves: "goOn" },
          script: [
            turn(text("One."), call("find", { text: "tea" }, { id: "c1" })),
            turn(text("Two, "), wait(Deferred.await(goOn)), text("three, "), wait(Deferred.await(end)), text("four."))
          ]
        })
        yield* Effect.promise(async () => {
          const first = open()
          const sent = first.sendMessage({ text: "Count" })
          await until(first, () => wordsOf(first).includes("Two, "))
          await first.stop()
          await sent
          // A reload: the past without the run that goes on, and then the run from its start.
          const before = await past()
          expect(before.map(({ role }) => role)).toEqual(["user"])
          const second = open(before)
          const resumed = second.resumeStream()
          await until(second, () => wordsOf(second).includes("Two, "))
          await Effect.runPromise(Deferred.succeed(goOn, undefined))
          await until(second, () => wordsOf(second).includes("Two, three, "))
          // Another reload, and the run ends before the page asks for it.
          const during = await past()
          await Effect.runPromise(Deferred.succeed(end, undefined))
          await resumed
          const third = open(during)
          await third.resumeStream()
          for (const page of [second, third]) {
            expect(wordsOf(page)).toEqual(["Count", "One.", "Two, three, four."])
            expect(callsOf(page).length).toBe(1)
          }
          // What was painted whole has nothing to read on with.
          const last = open(await past())
          await last.resumeStream()
          expect(wordsOf(last)).toEqual(["Count", "One.", "Two, three, four."])
          expect(last.messages.map(({ id }) => id)).toEqual(third.messages.map(({ id }) => id))
        })
      })
    )
  )

  it.live("finds nothing to read on with where its conversation has not begun, or is another user's", () =>
    scoped(
      Effect.gen(function* () {
        const { open, url } = yield* served({ script: [text("Hello.")] })
        yield* Effect.promise(async () => {
          const page = open()
          await page.resumeStream()
          expect([page.status, page.error]).toEqual(["ready", undefined])
          await page.sendMessage({ text: "Good morning" })
          expect(wordsOf(page)).toEqual(["Good morning", "Hello."])
          const other = openPage({ url, id: "chat 1", user: "eve" })
          await other.resumeStream()
          expect([other.status, other.error, other.messages]).toEqual(["ready", undefined, []])
        })
      })
    )
  )

  it.live("finds its run stopped where the program says so, and may go on", () =>
    scoped(
      Effect.gen(function* () {
        const { open, past } = yield* served({
          script: [turn(text("One, "), wait(Effect.never)), text("Two.")]
        })
        yield* Effect.promise(async () => {
          const page = open()
          const sent = page.sendMessage({ text: "Count" })
          await until(page, () => wordsOf(page).includes("One, "))
          await page.stop()
          await sent
          await page.sendMessage({ text: "Go on" })
          expect(wordsOf(page).slice(-2)).toEqual(["Go on", "Two."])
          expect((await past()).length).toBeGreaterThanOrEqual(3)
        })
      })
    )
  )

  it.live("is told by DELETE that its run has stopped", () =>
    scoped(
      Effect.gen(function* () {
        const { open, url } = yield* served({
          chat: { whenPageLeaves: "goOn" },
          script: [turn(text("One, "), wait(Effect.never)), text("Two.")]
        })
        yield* Effect.promise(async () => {
          const page = open()
          const sent = page.sendMessage({ text: "Count" })
          await until(page, () => wordsOf(page).includes("One, "))
          const stop = (user: string) =>
            fetch(`${url}/api/chat/chat%201/stream`, { method: "DELETE", headers: { "x-user": user } })
          expect((await stop("eve")).status).toBe(404)
          expect((await stop("ada")).status).toBe(204)
          await sent
          await page.sendMessage({ text: "Go on" })
          expect(wordsOf(page).at(-1)).toBe("Two.")
        })
      })
    )
  )

  it.live("does not go on by itself where its run reached a limit", () =>
    scoped(
      Effect.gen(function* () {
        const { open } = yield* served({
          stop: Stop.steps(1),
          script: [call("find", { text: "tea" }, { id: "c1" }), text("Two.")]
        })
        yield* Effect.promise(async () => {
          const page = open()
          await page.sendMessage({ text: "Tea?" })
          expect([page.status, page.error]).toEqual(["ready", undefined])
          expect(callsOf(page)).toMatchObject([{ state: "output-available" }])
          expect(wordsOf(page)).toEqual(["Tea?"])
        })
      })
    )
  )

  it.live("shows how a call ended that was stopped, as it is drawn again later", () =>
    scoped(
      Effect.gen(function* () {
        const { open, past, url } = yield* served({
          chat: { whenPageLeaves: "goOn" },
          script: [turn(call("wait", {}, { id: "c1" }), call("find", { text: "tea" }, { id: "c2" })), text("Two.")]
        })
        yield* Effect.promise(async () => {
          const page = open()
          const sent = page.sendMessage({ text: "Wait" })
          const stateOf = (place: number) => callsOf(page)[place]?.state
          await until(page, () => stateOf(0) === "input-available" && stateOf(1) === "output-available")
          await fetch(`${url}/api/chat/chat%201/stream`, { method: "DELETE", headers: { "x-user": "ada" } })
          await sent
          expect(callsOf(page).map(({ state }) => state)).toEqual(["output-error", "output-available"])
          // It does not go on by itself.
          expect([page.status, page.error]).toEqual(["ready", undefined])
          expect(callsOf({ messages: await past() }).map(({ errorText }) => errorText)).toEqual(
            callsOf(page).map(({ errorText }) => errorText)
          )
          await page.sendMessage({ text: "Go on" })
          expect(wordsOf(page).at(-1)).toBe("Two.")
        })
      })
    )
  )
})

describe("a page that comes back to a message", () => {
  it.live("which goes on behind an answer gets it whole again", () =>
    scoped(
      Effect.gen(function* () {
        const end = yield* Deferred.make<void>()
        const { open, past } = yield* served({
          chat: { whenPageLeaves: "goOn" },
          script: [
            turn(text("One moment."), call("refund", { order: "o1", amount: 5 }, { id: "c1" })),
            turn(text("It is, "), wait(Deferred.await(end)), text("paid."))
          ]
        })
        yield* Effect.promise(async () => {
          const page = open()
          await page.sendMessage({ text: "Pay me back" })
          page.addToolApprovalResponse({ id: callsOf(page)[0]?.approval?.id ?? "", approved: true })
          await until(page, () => wordsOf(page).includes("It is, "))
          // A reload, and a page whose connection broke.
          const reloaded = open(await past())
          const resumed = [reloaded.resumeStream(), open(await past()).resumeStream()]
          await until(reloaded, () => wordsOf(reloaded).includes("It is, "))
          await Effect.runPromise(Deferred.succeed(end, undefined))
          await Promise.all(resumed)
          await page.resumeStream()
          for (const one of [page, reloaded]) {
            expect(wordsOf(one)).toEqual(["Pay me back", "One moment.", "It is, paid."])
            expect(callsOf(one)).toMatchObject([{ state: "output-available", output: { paid: 5 } }])
          }
        })
      })
    )
  )
})

describe("two tabs", () => {
  it.live("answer the same request at once, and it is paid once", () =>
    scoped(
      Effect.gen(function* () {
        const { open, paid, past } = yield* served({
          script: [turn(call("refund", { order: "o1", amount: 5 }, { id: "c1" })), text("Paid.")]
        })
        yield* Effect.promise(async () => {
          const page = open()
          await page.sendMessage({ text: "Pay me back" })
          const tabs = [open(await past()), open(await past()), page]
          for (const tab of tabs) {
            expect(callsOf(tab)).toMatchObject([{ state: "approval-requested" }])
            tab.addToolApprovalResponse({ id: callsOf(tab)[0]?.approval?.id ?? "", approved: true })
          }
          for (const tab of tabs) await until(tab, () => wordsOf(tab).includes("Paid."))
          expect(paid).toEqual([[secrets.customer, 5]])
          // A tab that was left open says no: it learns that it is too late.
          const late = open([
            ...(await past()).slice(0, 1),
            {
              id: page.messages[1]?.id ?? "",
              role: "assistant",
              parts: [
                {
                  type: "tool-refund",
                  toolCallId: "c1",
                  state: "approval-responded",
                  approval: { id: callsOf(page)[0]?.approval?.id ?? "", approved: false }
                } as never
              ]
            }
          ])
          await late.sendMessage()
          expect(late.error?.message).toContain("answered already")
          expect(paid.length).toBe(1)
        })
      })
    )
  )

  it.live("answer one of two each, and the run goes on when both are there", () =>
    scoped(
      Effect.gen(function* () {
        const { open, paid, past } = yield* served({
          script: [
            turn(
              call("refund", { order: "o1", amount: 5 }, { id: "c1" }),
              call("refund", { order: "o2", amount: 7 }, { id: "c2" })
            ),
            text("Done.")
          ]
        })
        yield* Effect.promise(async () => {
          const page = open()
          await page.sendMessage({ text: "Pay me back" })
          const [one, two] = callsOf(page)
          const ask = (id: string, reply: unknown) =>
            page.sendMessage(undefined, { body: { answers: [{ id, reply }] } })
          await ask(one?.approval?.id ?? "", { approve: { order: "o1", amount: 4 } })
          expect(paid).toEqual([[secrets.customer, 4]])
          const tab = open(await past())
          expect(callsOf(tab).map(({ state }) => state)).toEqual(["output-available", "approval-requested"])
          tab.addToolApprovalResponse({ id: two?.approval?.id ?? "", approved: false, reason: "not this one" })
          await until(tab, () => wordsOf(tab).includes("Done."))
          expect(callsOf(tab).map(({ state }) => state)).toEqual(["output-available", "output-denied"])
          expect(paid.length).toBe(1)
        })
      })
    )
  )
})

describe("a page that changes its mind", () => {
  it.live("edits a message and asks for another answer, and what came after goes", () =>
    scoped(
      Effect.gen(function* () {
        const { open, past } = yield* served({ script: [text("A."), text("B."), text("C.")] })
        yield* Effect.promise(async () => {
          const page = open()
          await page.sendMessage({ text: "First" })
          await page.regenerate()
          expect(wordsOf(page)).toEqual(["First", "B."])
          await page.sendMessage({ text: "Other", messageId: page.messages[0]?.id })
          expect(wordsOf(page)).toEqual(["Other", "C."])
          expect(wordsOf({ messages: await past() })).toEqual(["Other", "C."])
        })
      })
    )
  )

  it.live("sends the same message again after its connection broke, and gets the same answer", () =>
    scoped(
      Effect.gen(function* () {
        const { model, paid, url } = yield* served({
          script: [turn(call("find", { text: "tea" }, { id: "c1" })), text("Here.")]
        })
        yield* Effect.promise(async () => {
          const send = async () => {
            const response = await fetch(`${url}/api/chat`, {
              method: "POST",
              headers: { "content-type": "application/json", "x-user": "ada" },
              body: JSON.stringify({
                id: "chat 1",
                message: { id: "m1", role: "user", parts: [{ type: "text", text: "Tea?" }] }
              })
            })
            return response.text()
          }
          const first = await send()
          const second = await send()
          for (const stream of [first, second]) {
            expect(stream).toContain('"type":"tool-output-available"')
            expect(stream.endsWith("data: [DONE]\n\n")).toBe(true)
          }
          expect(Effect.runSync(model.requests).length).toBe(2)
          expect(paid).toEqual([])
        })
      })
    )
  )
})

describe("a conversation of the program's own", () => {
  it.live("is nobody's page's until its metadata names a user", () =>
    scoped(
      Effect.gen(function* () {
        const store = yield* ConversationStore.ConversationStore
        const entries = [yield* Conversation.entry(Conversation.user("Hello"), { id: "m1" })]
        yield* store.create({ id: "chat 1", entries })
        const agent = yield* Agent.make({ model: yield* ScriptedModel.make([text("Hi.")]) })
        const chat = yield* Chat.make({
          agent,
          authorize: (request) => Effect.succeed({ user: request.headers.get("x-user") ?? "" })
        })
        const url = yield* serve(UiMessages.handler(chat))
        const get = () => fetch(`${url}/api/chat/chat%201`, { headers: { "x-user": "ada" } })
        yield* Effect.promise(async () => {
          expect(await (await get()).json()).toEqual({ messages: [] })
          await Effect.runPromise(store.update("chat 1", { metadata: Chat.metadataOf("ada") }))
          expect(await (await get()).json()).toMatchObject({ messages: [{ id: "m1", role: "user" }] })
        })
      })
    )
  )
})

describe("a message and answers in one request", () => {
  const asked = turn(text("Now?"), call("refund", { order: "o1", amount: 4 }, { id: "c1" }))

  it.live("are both taken: the call goes on, and the message comes behind it", () =>
    scoped(
      Effect.gen(function* () {
        const { open, paid, past } = yield* served({ script: [asked, text("Paid."), text("Sunny.")] })
        yield* Effect.promise(async () => {
          const page = open()
          await page.sendMessage({ text: "Refund" })
          const id = callsOf(page)[0]?.approval?.id ?? ""
          await page.sendMessage({ text: "And the weather?" }, { body: { answers: [{ id, reply: "approve" }] } })
          expect(page.error).toBe(undefined)
          expect(paid.length).toBe(1)
          expect(wordsOf({ messages: await past() }).slice(0, 3)).toEqual(["Refund", "Now?", "And the weather?"])
          // Where none waits, nothing is said in its place.
          await page.sendMessage({ text: "Again?" }, { body: { answers: [{ id, reply: "approve" }] } })
          expect(page.error?.message).toContain("does not wait")
          expect(paid.length).toBe(1)
          expect(wordsOf({ messages: await past() })).not.toContain("Again?")
        })
      })
    )
  )

  it.live("are answers where the message is there already", () =>
    scoped(
      Effect.gen(function* () {
        const { open, paid } = yield* served({ script: [asked, text("Paid.")] })
        yield* Effect.promise(async () => {
          const page = open()
          await page.sendMessage({ text: "Refund" })
          const id = callsOf(page)[0]?.approval?.id ?? ""
          // It has lost the stream, and knows of the request by another way.
          const lost = open(page.messages.slice(0, 1))
          await lost.sendMessage(undefined, { body: { answers: [{ id, reply: "approve" }] } })
          expect(paid.length).toBe(1)
        })
      })
    )
  )
})

it.live("an answer that was to be replaced is there again, where the new one came to nothing", () =>
  scoped(
    Effect.gen(function* () {
      const { open, past } = yield* served({ script: [text("A."), fail(noKey), broken(text("B"), noKey), text("C.")] })
      yield* Effect.promise(async () => {
        const page = open()
        await page.sendMessage({ text: "First" })
        await page.regenerate()
        expect(page.status).toBe("error")
        expect(wordsOf({ messages: await past() })).toEqual(["First", "A."])
        const reloaded = open(await past())
        await reloaded.regenerate()
        await reloaded.sendMessage({ text: "Then" })
        expect(wordsOf({ messages: await past() })).toEqual(["First", "A.", "Then", "C."])
      })
    })
  )
)

it.live("a page that was given a run's end has nothing to read on, though another did not come for it", () =>
  scoped(
    Effect.gen(function* () {
      const goOn = yield* Deferred.make<void>()
      const { open, past, url } = yield* served({
        chat: { whenPageLeaves: "goOn" },
        script: [turn(text("One, "), wait(Deferred.await(goOn)), text("two."))]
      })
      yield* Effect.promise(async () => {
        const page = open()
        const sent = page.sendMessage({ text: "Count" })
        await until(page, () => wordsOf(page).includes("One, "))
        // One page never comes, the other one is late.
        const late = open((await Promise.all([past(), past()]))[0])
        await Effect.runPromise(Deferred.succeed(goOn, undefined))
        await sent
        expect(wordsOf({ messages: await past() })).toEqual(["Count", "One, two."])
        const stream = await fetch(`${url}/api/chat/chat%201/stream`, { headers: { "x-user": "ada" } })
        expect(stream.status).toBe(204)
        await late.resumeStream()
        for (const one of [page, late]) expect(wordsOf(one)).toEqual(["Count", "One, two."])
      })
    })
  )
)
