import { describe, expect, it } from "@effect/vitest"
import { NodeHttpClient } from "@effect/platform-node"
import { Agent, ConversationStore, Model } from "@wield/agent"
import { Chat, UiMessages } from "@wield/chat"
import { Toolset } from "@wield/core"
import { ApiError, OpenAiResponses } from "@wield/providers"
import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"
import { callsOf, openPage, type PageOptions, until, type Version, versions, wordsOf } from "./page.js"
import { makeShop, type Options, secrets, serve } from "./shop.js"

const { call, text, turn } = ScriptedModel

const inShop = (
  { version = 7, ...options }: Options & { readonly version?: Version },
  test: (
    open: (options?: Partial<PageOptions>) => ReturnType<typeof openPage>,
    shop: Effect.Effect.Success<ReturnType<typeof makeShop>> & { readonly url: string }
  ) => Promise<void>
) =>
  Effect.gen(function* () {
    const shop = yield* makeShop(options)
    const url = yield* serve(UiMessages.handler(shop.chat, { version }))
    yield* Effect.promise(() => test((more) => openPage({ url, id: "chat 1", version, ...more }), { ...shop, url }))
  }).pipe(Effect.scoped, Effect.provide(ConversationStore.layerMemory))

const unavailable = (detail = "overloaded") =>
  new ApiError.ProviderUnavailable({ format: "scripted", status: 529, detail })

const all = Object.keys(versions).map((version) => Number(version) as Version)

describe.each(all)("a page of the AI SDK %i", (version) => {
  it.live("shows text, calls, results, failures, progress and images, and what is secret in none", () =>
    inShop(
      {
        version,
        script: [
          turn(
            text("Let me look."),
            call("find", { text: "tea" }, { id: "c1" }),
            call("fail", {}, { id: "c2" }),
            call("bug", {}, { id: "c3" }),
            call("slow", {}, { id: "c4" }),
            call("receipt", {}, { id: "c5" }),
            call("find", { wrong: 1 }, { id: "c6" }),
            call("fnd", { text: "tea" }, { id: "c7" })
          ),
          text("Here it is.")
        ]
      },
      async (open, { url }) => {
        const page = open()
        await page.sendMessage({ text: "Tea?" })
        expect(page.error).toBe(undefined)
        expect(wordsOf(page)).toEqual(["Tea?", "Let me look.", "Here it is."])
        const calls = callsOf(page)
        expect(calls.map(({ state, toolCallId }) => [toolCallId, state])).toEqual([
          ["c1", "output-available"],
          ["c2", "output-error"],
          ["c3", "output-error"],
          ["c4", "output-available"],
          ["c5", "output-available"],
          ["c6", "output-error"],
          ["c7", "output-error"]
        ])
        expect(calls[0]).toMatchObject({ type: "tool-find", input: { text: "tea" }, output: ["tea 1", "tea 2"] })
        expect(calls[1]?.errorText).toContain("closed")
        expect(calls[4]?.output).toBe("The receipt")
        const parts = page.messages.flatMap((message) => message.parts)
        expect(parts.find(({ type }) => type === "file")).toMatchObject({ mediaType: "image/png" })
        expect(parts.find(({ type }) => type === "data-progress")?.data).toEqual({
          toolCallId: "c4",
          toolName: "slow",
          value: { percent: 90 }
        })
        expect(page.messages.at(-1)?.metadata).toMatchObject({ usage: { input: 200, output: 20 } })
        for (const secret of Object.values(secrets)) expect(JSON.stringify(page.messages)).not.toContain(secret)
        // Drawn again, it is the same but for what was only on its way.
        const past = await fetch(`${url}/api/chat/chat%201`, { headers: { "x-user": "ada" } })
        const { messages } = (await past.json()) as { readonly messages: typeof page.messages }
        expect(messages.map(({ id, role }) => [id, role])).toEqual(page.messages.map(({ id, role }) => [id, role]))
        expect(callsOf({ messages }).map(({ state, toolCallId }) => [toolCallId, state])).toEqual(
          calls.map(({ state, toolCallId }) => [toolCallId, state])
        )
        expect(wordsOf({ messages })).toEqual(wordsOf(page))
        expect(JSON.stringify(messages)).toContain('"mediaType":"image/png"')
      }
    )
  )

  it.live("denies what waits by a message where the shop says so, and answers the message", () =>
    inShop(
      {
        version,
        chat: { whenWaiting: "deny" },
        script: [turn(call("refund", { order: "A1", amount: 5 }, { id: "c1" })), text("It is ten."), text("Eleven.")]
      },
      async (open, { paid, url }) => {
        const page = open()
        await page.sendMessage({ text: "Pay me back" })
        await page.sendMessage({ text: "What time is it?" })
        expect(page.error).toBe(undefined)
        expect(wordsOf(page)).toEqual(["Pay me back", "What time is it?", "It is ten."])
        await page.sendMessage({ text: "And now?" })
        expect([wordsOf(page).at(-1), paid]).toEqual(["Eleven.", []])
        const past = await fetch(`${url}/api/chat/chat%201`, { headers: { "x-user": "ada" } })
        expect(callsOf((await past.json()) as Pick<typeof page, "messages">)).toMatchObject([{ state: "output-error" }])
      }
    )
  )

  it.live("links the pages that the model cites, and no other address", () =>
    Effect.gen(function* () {
      const annotations = ["https://example.com/rain", "javascript:alert(1)"].map((url) => ({
        type: "url_citation",
        start_index: 0,
        end_index: 4,
        title: "Rain",
        url
      }))
      const content = [{ type: "output_text", text: "It rains.", annotations }]
      const item = { type: "message", id: "msg_1", role: "assistant", status: "completed", content }
      const api = yield* serve(async () =>
        globalThis.Response.json({ id: "resp_1", status: "completed", output: [item] })
      )
      const model = yield* Model.fromWire(OpenAiResponses.format, { model: "m", url: api, isStreaming: false })
      const agent = yield* Agent.make({ model, toolset: yield* Toolset.dynamic([]) })
      const chat = yield* Chat.make({ agent, authorize: () => Effect.succeed({ user: "ada" }) })
      const url = yield* serve(UiMessages.handler(chat, { version }))
      yield* Effect.promise(async () => {
        const page = openPage({ url, id: "chat 1", version })
        await page.sendMessage({ text: "Weather?" })
        expect(page.error).toBe(undefined)
        const past = await fetch(`${url}/api/chat/chat%201`, { headers: { "x-user": "ada" } })
        const { messages } = (await past.json()) as { readonly messages: typeof page.messages }
        for (const drawn of [page.messages, messages]) {
          const parts = drawn.flatMap((message) => message.parts)
          expect(parts.filter(({ type }) => type === "source-url")).toMatchObject([
            { url: "https://example.com/rain", title: "Rain" }
          ])
        }
      })
    }).pipe(Effect.scoped, Effect.provide([ConversationStore.layerMemory, NodeHttpClient.layer]))
  )

  it.live("runs an approved call once, and goes on in the same message", () =>
    inShop(
      { version, script: [turn(call("refund", { order: "o1", amount: 5 }, { id: "c1" })), text("It is paid.")] },
      async (open, { paid }) => {
        const page = open()
        await page.sendMessage({ text: "Pay me back" })
        expect(paid).toEqual([])
        if (version === 5) {
          const request = page.messages.at(-1)?.parts.find(({ type }) => type === "data-request")?.data
          expect(request).toMatchObject({ waitsFor: "approval", why: "it costs money", toolCallId: "c1" })
          const { id } = request as { readonly id: string }
          await page.sendMessage(undefined, { body: { answers: [{ id, reply: "approve" }] } })
        } else {
          expect(callsOf(page)[0]).toMatchObject({ state: "approval-requested", input: { order: "o1", amount: 5 } })
          await page.addToolApprovalResponse({ id: callsOf(page)[0]?.approval?.id ?? "", approved: true })
          await until(page, () => wordsOf(page).includes("It is paid."))
        }
        expect(page.messages.length).toBe(2)
        expect(callsOf(page)).toMatchObject([{ state: "output-available", output: { paid: 5 } }])
        expect(paid).toEqual([[secrets.customer, 5]])
      }
    )
  )

  it.live("goes on behind a turn that broke, and says why a run has no end", () =>
    inShop(
      {
        version,
        script: [
          ScriptedModel.broken(text("Half an ans"), ScriptedModel.partialCall("find", '{"te'), unavailable()),
          text("A whole answer."),
          ...Array.from({ length: 3 }, () => ScriptedModel.broken(text("Half"), unavailable("a secret of the API")))
        ]
      },
      async (open) => {
        const page = open()
        await page.sendMessage({ text: "Tea?" })
        expect(page.error).toBe(undefined)
        // Version 7 can take back what was said, the others cannot.
        expect(wordsOf(page)).toEqual(["Tea?", ...(version === 7 ? [] : ["Half an ans"]), "A whole answer."])
        expect(callsOf(page).map(({ state }) => state)).toEqual(version === 7 ? [] : ["output-error"])
        await page.sendMessage({ text: "More?" })
        expect(page.error?.message).toMatch(/^The model cannot be reached now.*reference/)
        expect(page.error?.message).not.toContain("secret")
      }
    )
  )

  it.live("runs the page's own tool, and tells the model its result", () =>
    inShop(
      { version, script: [turn(call("map", { place: "Rome" }, { id: "c1" })), text("There it is.")] },
      async (open, { model }) => {
        const page = open({
          onToolCall: ({ toolCall }) => {
            void page.addToolOutput({ tool: "map", toolCallId: toolCall.toolCallId, output: "shown" })
          }
        })
        await page.sendMessage({ text: "Where is Rome?" })
        await until(page, () => wordsOf(page).includes("There it is."))
        expect(callsOf(page)).toMatchObject([{ state: "output-available", output: "shown" }])
        expect(JSON.stringify(Effect.runSync(model.requests).at(-1)?.messages)).toContain("shown")
      }
    )
  )

  it.live("says of the page's own tool, where a message passes it over, that it may have run", () =>
    inShop(
      {
        version,
        chat: { whenWaiting: "deny" },
        script: [
          turn(call("map", { place: "Rome" }, { id: "c1" }), call("sign", {}, { id: "c2" })),
          text("Wait for the map.")
        ]
      },
      async (open, { model }) => {
        const page = open()
        await page.sendMessage({ text: "Where is Rome?" })
        await page.sendMessage({ text: "Well?" })
        expect(wordsOf(page).at(-1)).toBe("Wait for the map.")
        const results = Effect.runSync(model.requests)
          .at(-1)
          ?.messages.flatMap((message) => (message._tag === "Results" ? message.results : []))
        expect(results?.map(({ id }) => id)).toEqual(["c1", "c2"])
        for (const result of results ?? []) {
          expect(JSON.stringify(result)).toMatch(/may have taken effect/)
          expect(JSON.stringify(result)).not.toMatch(/not run/)
        }
      }
    )
  )

  it.live.each(["refuse", "deny"] as const)(
    "tells the model the result of the page's own tool that a message follows, where a shop would %s",
    (whenWaiting) =>
      inShop(
        {
          version,
          chat: { whenWaiting },
          script: [
            turn(call("map", { place: "Rome" }, { id: "c1" })),
            text("There it is."),
            turn(
              call("map", { place: "Bari" }, { id: "c2" }),
              call("refund", { order: "A1", amount: 5 }, { id: "c3" })
            ),
            text("Both.")
          ]
        },
        async (open, { model, paid }) => {
          const ran = (page: Pick<ReturnType<typeof open>, "messages">, id: string) =>
            page.messages.map((message) => ({
              ...message,
              parts: message.parts.map((part) =>
                part.toolCallId === id ? { ...part, state: "output-available", output: `shown ${id}` } : part
              )
            }))
          const sent = () => JSON.stringify(Effect.runSync(model.requests).at(-1)?.messages)
          const first = open()
          await first.sendMessage({ text: "Where is Rome?" })
          const page = open({ messages: ran(first, "c1") })
          await page.sendMessage({ text: "Well?" })
          expect(page.error).toBe(undefined)
          expect(wordsOf(page)).toEqual(["Where is Rome?", "Well?", "There it is."])
          expect([sent().includes("shown c1"), sent().includes("not run")]).toEqual([true, false])
          // With what a person has to answer, the shop says what becomes of that.
          await page.sendMessage({ text: "And Bari?" })
          const second = open({ messages: ran(page, "c2") })
          await second.sendMessage({ text: "Pay me too" })
          if (whenWaiting === "refuse") expect(second.error?.message).toMatch(/Answer first what waits: refund/)
          else {
            expect(wordsOf(second).at(-1)).toBe("Both.")
            expect([sent().includes("shown c2"), sent().includes("refund was denied and not run")]).toEqual([
              true,
              true
            ])
          }
          expect(paid).toEqual([])
        }
      )
  )
})

it.live("takes an answer with changes and, with it, the one that the page has noted and not sent", () =>
  inShop(
    {
      script: [
        turn(
          call("refund", { order: "o1", amount: 5 }, { id: "c1" }),
          call("refund", { order: "o2", amount: 7 }, { id: "c2" })
        ),
        text("One is paid.")
      ]
    },
    async (open, { paid }) => {
      const page = open()
      await page.sendMessage({ text: "Pay me back, twice" })
      const [first = "", second = ""] = callsOf(page).map(({ approval }) => approval?.id)
      await page.addToolApprovalResponse({ id: second, approved: false, reason: "drunk" })
      const reply = { approve: { order: "o1", amount: 3 } }
      await page.sendMessage(undefined, { body: { answers: [{ id: first, reply }] } })
      expect(wordsOf(page)).toEqual(["Pay me back, twice", "One is paid."])
      expect(callsOf(page).map(({ state }) => state)).toEqual(["output-available", "output-denied"])
      expect(paid).toEqual([[secrets.customer, 3]])
    }
  )
)

it.live(
  "draws results again as they were: those with remarks for the model, those of content, and as `show` chose",
  () =>
    inShop(
      {
        script: [
          turn(
            call("refund", { order: "o1", amount: 5 }, { id: "c1" }),
            call("weigh", {}, { id: "c2" }),
            call("receipt", {}, { id: "c3" }),
            call("find", { text: "tea" }, { id: "c4" })
          ),
          text("Paid.")
        ],
        chat: {
          // It knows the results of `refund` as objects.
          show: (item) =>
            item._tag === "Result" && item.tool === "refund"
              ? { sum: (item.value as { paid: number }).paid }
              : item.value
        }
      },
      async (open, { url }) => {
        const page = open()
        await page.sendMessage({ text: "Pay me back" })
        const id = callsOf(page)[0]?.approval?.id
        const reply = { approve: { order: "o1", amount: 3 } }
        await page.sendMessage(undefined, { body: { answers: [{ id, reply }] } })
        const past = await fetch(`${url}/api/chat/chat%201`, { headers: { "x-user": "ada" } })
        const again = (await past.json()) as { readonly messages: typeof page.messages }
        const outputs = [{ sum: 3 }, { grams: 250 }, "The receipt", ["tea 1", "tea 2"]]
        for (const shown of [page, again]) expect(callsOf(shown).map(({ output }) => output)).toEqual(outputs)
      }
    )
)
