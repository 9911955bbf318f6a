import { describe, expect, it } from "@effect/vitest"
import { Approval, CurrentCall, Journal, NeedsInput, Response, type Toolset } from "@wield/core"
import { Agent, type DeferredCall } from "@wield/agent"
import { ScriptedModel } from "@wield/testing"
import { Deferred, Effect, Fiber } from "effect"
import { type Api, Inbox, Recorder, Studio } from "@wield/studio"
import { hostileName, makeShop, secrets, type Shop, token, until } from "./shop.js"

const idle = (shop: Shop, id: string) =>
  until(
    Effect.map(shop.get("/api/playground"), ({ json }) => json.sessions.find((one: { id: string }) => one.id === id)),
    (session) => session.status !== "running"
  )

describe("The API", () => {
  it.scopedLive("tells what there is", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const about = yield* shop.get("/api/about")
      expect(about.json).toMatchObject({
        wield: 1,
        isReadOnly: false,
        parts: { toolsets: true, store: true, agent: true },
        model: "scripted",
        recording: { arguments: true, results: true, texts: true }
      })
      expect((yield* shop.get("/api/problems")).json).toEqual({ problems: [] })
      const openApi = yield* shop.get("/api/openapi.json")
      expect(Object.keys(openApi.json.paths)).toContain("/api/tools/{name}/call")
      const bare = yield* makeShop({ isBare: true })
      expect((yield* bare.get("/api/about")).json.parts).toEqual({ toolsets: false, store: false, agent: false })
      expect((yield* bare.get("/api/toolsets")).status).toBe(404)
    })
  )

  it.scopedLive("lists tools with what a search needs, and why one is not on offer", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      yield* shop.post("/api/toolsets/activate", { conversation: "c1", functions: ["find_orders"] })
      const { json } = yield* shop.get("/api/tools?conversation=c1")
      const refund = json.tools.find(({ name }: { name: string }) => name === "refund")
      expect(refund).toMatchObject({
        source: "shop.ts",
        parameters: ["order", "amount"],
        isOffered: false,
        notOffered: { reason: "The active toolset does not have it", toolsets: ["orders"] }
      })
      const all = (yield* shop.get("/api/tools")).json.tools
      expect(all.every((tool: { isOffered: boolean }) => tool.isOffered)).toBe(true)
    })
  )

  it.scopedLive("ranks tools as a model's search does, by words that a model may know", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const search = (words: string) =>
        Effect.map(shop.get(`/api/tools?search=${encodeURIComponent(words)}`), ({ json }) =>
          json.tools.map(({ name }: { name: string }) => name)
        )
      expect((yield* search("paying for an order"))[0]).toBe("refund")
      expect((yield* search("finding the orders of a customer"))[0]).toBe("find_orders")
      expect(yield* search("zanzibar")).toEqual([])
      expect(yield* search("customerId")).not.toContain("lacking")
      const { json } = yield* shop.get("/api/tools?search=refund&conversation=c1")
      expect(json.tools[0]).toMatchObject({ source: "shop.ts", isOffered: true })
    })
  )

  it.scopedLive("shows a tool as each provider gets it, with losses, hidden fields and limits", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const { json } = yield* shop.get("/api/tools/refund")
      expect(json.hidden).toEqual(["customerId"])
      expect(json.policy).toEqual({ hasApprovalRule: true, limits: { timeout: 5000, isRetried: false } })
      expect(json.fingerprint).toMatch(/^[0-9a-f]{64}$/)
      expect(json.wires.map(({ format }: { format: string }) => format)).toContain("anthropic")
      expect(json.wires.every(({ tokens }: { tokens: number }) => tokens > 10)).toBe(true)
      expect(JSON.stringify(json.inputSchema)).not.toContain("customerId")
      expect((yield* shop.get("/api/tools/refunds")).status).toBe(404)
    })
  )

  it.scopedLive("calls a tool through the policy, and gives the text that a model would read", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const found = yield* shop.post("/api/tools/find_orders/call", { arguments: { text: "tea" } })
      expect(found.json.outcome).toMatchObject({ _tag: "Success", value: ["A1 tea"], text: '["A1 tea"]' })
      const invalid = yield* shop.post("/api/tools/refund/call", { arguments: { order: "A1", amount: "much" } })
      expect(invalid.json.outcome.issues[0]).toMatchObject({ path: ["amount"] })
      const preview = yield* shop.post("/api/tools/refund/preview", { arguments: { order: "A1", amount: 50 } })
      expect(preview.json).toEqual({ _tag: "Allow" })
      const run = (yield* shop.get(`/api/runs/${found.json.run}/events`)).json
      expect(run.run).toMatchObject({ name: "find_orders", kind: "calls", status: "finished", calls: 1 })
      yield* shop.post("/api/toolsets/activate", { conversation: "c1", functions: ["find_orders"] })
      const withheld = yield* shop.post("/api/tools/refund/call", { arguments: {}, conversation: "c1" })
      expect(withheld.json.outcome._tag).toBe("Unavailable")
    })
  )

  it.scopedLive("keeps a call by hand that waits, and answers it once, bound to what was shown", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const { json } = yield* shop.post("/api/tools/refund/call", { arguments: { order: "A1", amount: 200 } })
      expect(json.outcome).toMatchObject({ _tag: "Deferred", why: "it is over 100" })
      const [approval] = (yield* shop.get("/api/approvals")).json.approvals
      expect(approval).toMatchObject({ id: json.approval, tool: "refund", arguments: { order: "A1", amount: 200 } })
      const path = `/api/approvals/${approval.id}`
      const stale = yield* shop.post(path, { digest: "another", reply: { _tag: "Approve" } })
      expect(stale.status).toBe(409)
      const edit = { arguments: { order: "A1", amount: 1 } }
      for (const misplaced of [{ reply: { _tag: "Approve", ...edit } }, { reply: { _tag: "Approve" }, ...edit }]) {
        expect((yield* shop.post(path, { digest: approval.digest, ...misplaced })).status).toBe(400)
      }
      const wrong = { _tag: "ApproveWith", arguments: { order: "A1", amount: "much" } }
      const invalid = yield* shop.post(path, { digest: approval.digest, reply: wrong })
      expect([invalid.status, invalid.json.issues[0].path]).toEqual([422, ["amount"]])
      // What was refused is asked again: nothing has run, so nothing has failed.
      expect((yield* shop.get("/api/runs")).json.runs).toHaveLength(1)
      const changed = { _tag: "ApproveWith", arguments: { order: "A1", amount: 150 } }
      const answered = yield* shop.post(path, { digest: approval.digest, reply: changed })
      expect(answered.json.outcome.text).toContain("refund 1: 150 for A1")
      const { decisions } = (yield* shop.get("/api/decisions")).json
      expect(decisions).toMatchObject([
        {
          id: json.approval,
          asked: json.run,
          run: answered.json.run,
          answer: {
            call: { name: "refund", arguments: { order: "A1", amount: 200 } },
            why: "it is over 100",
            reply: "ApproveWith",
            value: { order: "A1", amount: 150 },
            by: { who: "the user of the studio", way: "studio" }
          },
          outcome: { _tag: "Success", isError: false, text: expect.stringContaining("refund 1: 150 for A1") }
        }
      ])
      // What was answered is in the run's file, and in the history of who imports it.
      const other = yield* makeShop()
      yield* other.post("/api/runs/import", (yield* shop.get(`/api/runs/${answered.json.run}/export`)).json)
      expect((yield* other.get("/api/decisions")).json.decisions).toMatchObject([
        { answer: decisions[0].answer, outcome: decisions[0].outcome }
      ])
      expect((yield* shop.post(path, { digest: approval.digest, reply: changed })).status).toBe(404)
    })
  )

  it.scopedLive("shows what a call asks, takes a reply that fits, and asks again where the call does", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const { json } = yield* shop.post("/api/tools/book/call", { arguments: {} })
      expect(json.outcome).toMatchObject({ _tag: "Deferred", waitsFor: "input" })
      const waiting = Effect.map(shop.get("/api/approvals"), (listed) => listed.json.approvals)
      for (const round of [1, 2]) {
        const [approval] = yield* waiting
        expect(approval).toMatchObject({ waitsFor: "input", input: { round, asks: "Where?" } })
        expect(JSON.stringify(approval)).not.toContain(secrets.state)
        const reply = (value: string) =>
          shop.post(`/api/approvals/${approval.id}`, { digest: approval.digest, reply: { _tag: "Reply", value } })
        const refused = yield* reply("roof")
        expect([refused.status, refused.json.issues]).toMatchObject([422, [{ path: ["reply"], received: '"roof"' }]])
        const answered = yield* reply("aisle")
        expect(answered.json.outcome._tag).toBe(round === 1 ? "Deferred" : "Success")
      }
      expect(yield* waiting).toEqual([])
    })
  )

  it.scopedLive("lets the journal of a call by hand know who answered it", () =>
    Effect.gen(function* () {
      const who: Toolset.DynamicTool = {
        name: "who",
        execute: () =>
          Effect.flatMap(CurrentCall.CurrentCall, ({ input }) =>
            input === undefined
              ? Effect.fail(new NeedsInput({ asks: "Well?", accepts: { type: "string" } }))
              : Effect.map(Journal.AnsweredBy, (name) => name ?? "unknown")
          )
      }
      const shop = yield* makeShop({ tools: [who] })
      const { json } = yield* shop.post("/api/tools/who/call", { arguments: {} })
      const [{ digest }] = (yield* shop.get("/api/approvals")).json.approvals
      const reply = { _tag: "Reply", value: "go on" }
      const answered = yield* shop.post(`/api/approvals/${json.approval}`, { digest, reply })
      expect(answered.json.outcome.text).toBe("the user of the studio (studio)")
    })
  )

  it.scopedLive("takes no other answer of a second tab while the call runs", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      const slow: Toolset.DynamicTool = {
        name: "slow",
        execute: () => Effect.as(Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(end)), "done")
      }
      const shop = yield* makeShop({ tools: [slow] })
      const { json } = yield* shop.post("/api/tools/slow/call", { arguments: {} })
      const [{ digest }] = (yield* shop.get("/api/approvals")).json.approvals
      const answer = (reply: object) => shop.post(`/api/approvals/${json.approval}`, { digest, reply })
      const first = yield* Effect.fork(answer({ _tag: "Approve" }))
      yield* Deferred.await(begun)
      const second = yield* Effect.fork(answer({ _tag: "Deny", reason: "no" }))
      yield* Effect.sleep("50 millis")
      yield* Deferred.succeed(end, undefined)
      expect((yield* Fiber.join(first)).status).toBe(200)
      expect((yield* Fiber.join(second)).status).not.toBe(200)
      expect((yield* shop.get("/api/decisions")).json.decisions).toMatchObject([{ answer: { reply: "Approve" } }])
    })
  )

  it.scopedLive("answers an agent of the program that asks the inbox", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const agent = yield* Agent.make({
        model: yield* ScriptedModel.make([
          ScriptedModel.call("refund", { order: "A1", amount: 200 }),
          ScriptedModel.text("Denied.")
        ]),
        toolset: shop.toolset,
        policy: { approval: () => Approval.ask("always") },
        answer: shop.inbox.ask
      })
      const running = yield* Effect.fork(Agent.run(agent, { prompt: "Refund", context: { customerId: "c" } } as never))
      const [approval] = yield* until(
        Effect.map(shop.get("/api/approvals"), ({ json }) => json.approvals),
        (approvals) => approvals.length > 0
      )
      const reply = { _tag: "Deny", reason: "not today" }
      yield* shop.post(`/api/approvals/${approval.id}`, { digest: approval.digest, reply })
      const result = yield* Fiber.join(running)
      expect(JSON.stringify(result.entries)).toContain("not today")
      // The run is not recorded; the answer is kept all the same.
      expect((yield* shop.get("/api/decisions")).json.decisions).toMatchObject([
        { answer: { reply: "Deny", reason: "not today" }, conversation: approval.from.conversation }
      ])
      expect((yield* shop.get("/api/approvals")).json.approvals).toEqual([])
    })
  )

  it.scopedLive("takes the first of two answers to the same question, and says so to the second tab", () =>
    Effect.gen(function* () {
      const inbox = yield* Inbox.make
      // What a tab shows.
      const request = { conversation: "c1", digest: "d" } as DeferredCall.DeferredCall
      const asking = yield* Effect.fork(inbox.ask(request))
      const [item] = yield* until(
        Effect.map(inbox.items, (items) => [...items.values()]),
        (items) => items.length > 0
      )
      expect(yield* item!.answer(Response.deny("no"))).toEqual({})
      expect(yield* Effect.flip(item!.answer(Response.approve))).toMatchObject({ _tag: "Conflict" })
      expect(yield* Fiber.join(asking)).toEqual(Response.deny("no"))
    })
  )

  it.scopedLive("calls chats, conversations, forks and runs by the first thing that a person said", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const session = (yield* shop.post("/api/playground", { model: "agent" })).json
      yield* shop.post(`/api/playground/${session.id}/prompt`, { prompt: "Please pay A1 back." })
      const approval = yield* until(
        Effect.map(shop.get("/api/approvals"), ({ json }) => json.approvals[0]),
        (waiting) => waiting !== undefined
      )
      expect((yield* shop.get("/api/playground")).json.sessions).toMatchObject([{ title: "Please pay A1 back." }])
      const [conversation] = (yield* shop.get("/api/conversations")).json.conversations
      expect(conversation.title).toBe("Please pay A1 back.")
      const fork = (yield* shop.post(`/api/conversations/${conversation.id}/fork`, {})).json
      expect(fork.title).toBe("Fork of Please pay A1 back.")
      yield* shop.post(`/api/approvals/${encodeURIComponent(approval.id)}`, {
        digest: approval.digest,
        reply: { _tag: "Approve" }
      })
      yield* shop.post("/api/tools/find_orders/call", { arguments: { text: "tea" } })
      const { runs } = (yield* shop.get("/api/runs")).json
      expect(runs.map(({ name, title }: Api.Run) => [name, title])).toEqual([
        ["find_orders", "text: tea"],
        // The run that goes on with the answer is about the same.
        ["clerk", "Please pay A1 back."],
        ["clerk", "Please pay A1 back."]
      ])
      expect(runs[0]).toMatchObject({ tools: ["find_orders"], outcome: "Success", problems: [] })
    })
  )

  it.scopedLive("says what runs took by model, and with prices what they cost", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop({ recording: { texts: false, arguments: false } })
      const priced = yield* Studio.toWebHandler({ ...shop.options, prices: { scripted: { input: 3, output: 15 } } })
      yield* Effect.addFinalizer(() => Effect.promise(priced.dispose))
      yield* Recorder.run(shop.agent, "Find tea").pipe(Effect.provideService(Recorder.Recorder, shop.recorder))
      const [run] = (yield* shop.get("/api/runs")).json.runs
      expect(run).toMatchObject({ models: { scripted: { input: 300, output: 30 } } })
      // Where texts and arguments are not recorded, a run has no title of them.
      expect([run.cost, run.title]).toEqual([undefined, undefined])
      const headers = { authorization: `Bearer ${token}` }
      const answer = yield* Effect.promise(async () =>
        (await priced.handler(new Request("http://localhost/api/runs", { headers }))).json()
      )
      expect(answer).toMatchObject({ runs: [{ cost: (300 * 3 + 30 * 15) / 1_000_000 }] })
    })
  )

  it.scopedLive("previews, saves, copies, activates, exchanges and deletes toolsets", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const draft = yield* shop.post("/api/toolsets/draft", { functions: ["find_orders", "gone"] })
      expect(draft.json).toMatchObject({ enabled: 1, total: 2, missing: ["gone"], status: "partial" })
      expect(draft.json.tokens).toBeGreaterThan(0)
      const saved = yield* shop.send("PUT", "/api/toolsets/mine", {
        functions: ["find_orders"],
        metadata: { emoji: "🍵" }
      })
      expect(saved.json).toMatchObject({ name: "mine", type: "user", metadata: { emoji: "🍵" } })
      expect((yield* shop.send("PUT", "/api/toolsets/mine", { functions: ["refund"] })).status).toBe(409)
      expect((yield* shop.send("PUT", "/api/toolsets/all", { functions: ["refund"] })).status).toBe(422)
      const replace = (was: ReadonlyArray<string>) =>
        Effect.map(
          shop.send("PUT", "/api/toolsets/mine", { functions: ["find_orders"], isReplacing: true, was }),
          ({ status }) => status
        )
      expect(yield* replace(["refund"])).toBe(409)
      expect(yield* replace(["find_orders"])).toBe(200)
      yield* shop.post("/api/toolsets/mine/copy", { to: "copy" })
      yield* shop.post("/api/toolsets/copy/rename", { to: "other" })
      const exported = yield* shop.get("/api/toolsets/other/export")
      expect(exported.json).toMatchObject({ wield: "toolset", version: 1, metadata: { emoji: "🍵" } })
      const imported = yield* shop.post("/api/toolsets/import", {
        exported: { ...exported.json, functions: ["find_orders", "gone"] },
        name: "third"
      })
      expect(imported.json).toMatchObject({ toolset: { name: "third" }, skipped: ["gone"] })
      const active = yield* shop.post("/api/toolsets/activate", { conversation: "c1", name: "mine" })
      expect(active.json).toMatchObject({ name: "mine", functions: ["find_orders"] })
      const deleted = yield* shop.send("DELETE", "/api/toolsets/mine")
      expect(deleted.json).toEqual({ conversations: ["c1"] })
      const listed = (yield* shop.get("/api/toolsets?conversation=c1")).json
      expect(listed.active).toMatchObject({ type: "unknown", name: "mine" })
      expect(listed.toolsets.map(({ name }: { name: string }) => name)).toEqual([
        "all",
        "none",
        "orders",
        "other",
        "third"
      ])
      expect((yield* shop.get("/api/toolsets/nothing")).status).toBe(404)
      expect((yield* shop.post("/api/toolsets/import", { exported: "{}" })).status).toBe(422)
    })
  )

  it.scopedLive("chats with the agent's model; the run waits, is answered and goes on", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const session = (yield* shop.post("/api/playground", { model: "agent" })).json
      yield* shop.post(`/api/playground/${session.id}/prompt`, { prompt: "Refund my tea" })
      const waiting = yield* idle(shop, session.id)
      expect(waiting.status).toBe("waiting")
      const [approval] = (yield* shop.get("/api/approvals")).json.approvals
      expect(approval.from).toMatchObject({ kind: "playground", conversation: session.conversation })
      const busy = yield* shop.post(`/api/playground/${session.id}/prompt`, { prompt: "And?" })
      expect(busy.status).toBe(409)
      const path = `/api/approvals/${encodeURIComponent(approval.id)}`
      const wrong = { _tag: "ApproveWith", arguments: { order: "A1", amount: "much" } }
      const invalid = yield* shop.post(path, { digest: approval.digest, reply: wrong })
      expect([invalid.status, invalid.json.issues[0].path]).toEqual([422, ["amount"]])
      expect((yield* shop.get("/api/runs")).json.runs).toHaveLength(1)
      const answered = yield* shop.post(path, { digest: approval.digest, reply: { _tag: "Approve" } })
      expect(answered.status).toBe(200)
      yield* idle(shop, session.id)
      const runs = (yield* shop.get("/api/runs")).json.runs
      expect(runs.map(({ status }: { status: string }) => status)).toEqual(["finished", "paused"])
      const { json } = yield* shop.get(`/api/conversations/${session.conversation}`)
      expect(json.entries.map(({ role }: { role: string }) => role)).toEqual([
        "user",
        "assistant",
        "results",
        "assistant",
        // The answer, and what came of it.
        "results",
        "results",
        "assistant"
      ])
      expect(json.entries[4].parts).toMatchObject([
        { _tag: "Answer", reply: "Approve", who: "the user of the studio (studio)" }
      ])
      const found = yield* shop.get("/api/conversations?query=PAID%20BACK")
      expect(found.json.conversations).toHaveLength(1)
      const fork = yield* shop.post(`/api/conversations/${session.conversation}/fork`, { at: json.entries[0].id })
      expect(fork.json).toMatchObject({ length: 1, waiting: 0 })
      expect((yield* shop.get("/api/conversations")).json.conversations).toHaveLength(2)
      expect((yield* shop.get("/api/conversations/none")).status).toBe(404)
    })
  )

  it.scopedLive("lets one of two tabs begin what both ask for at once", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const session = (yield* shop.post("/api/playground", { model: "agent" })).json
      const both = <A, B>(one: Effect.Effect<A>, other: Effect.Effect<B>) =>
        Effect.all([one, other], { concurrency: "unbounded" })
      const prompt = (words: string) => shop.post(`/api/playground/${session.id}/prompt`, { prompt: words })
      const prompted = yield* both(prompt("Refund my tea"), prompt("Refund my cup"))
      expect(prompted.map(({ status }) => status).toSorted()).toEqual([200, 409])
      expect((yield* idle(shop, session.id)).status).toBe("waiting")
      const [{ digest, id }] = (yield* shop.get("/api/approvals")).json.approvals
      const answer = (reply: object) => shop.post(`/api/approvals/${encodeURIComponent(id)}`, { digest, reply })
      const answered = yield* both(answer({ _tag: "Approve" }), answer({ _tag: "Deny", reason: "no" }))
      expect(answered.map(({ status }) => status).toSorted()).toEqual([200, 409])
      yield* idle(shop, session.id)
      expect((yield* shop.get("/api/runs")).json.runs).toHaveLength(2)
      expect((yield* shop.get("/api/decisions")).json.decisions).toHaveLength(1)
    })
  )

  it.scopedLive("plays a script, shows an activated toolset at the next turn, and stops", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const session = (yield* shop.post("/api/playground", { model: "scripted" })).json
      const call = [{ _tag: "Call", name: "find_orders", arguments: { text: "a" } }]
      const done = [{ _tag: "Text", text: "Done." }]
      const prompt = `/api/playground/${session.id}/prompt`
      yield* shop.post("/api/toolsets/activate", { conversation: session.conversation, name: "none" })
      yield* shop.post(prompt, { prompt: "Find a", script: [call, done] })
      yield* idle(shop, session.id)
      yield* shop.post("/api/toolsets/activate", { conversation: session.conversation, name: "orders" })
      yield* shop.post(prompt, { prompt: "Again", script: [call, done] })
      yield* idle(shop, session.id)
      const all = yield* shop.recorder.events({ after: 0, limit: 10_000 })
      const outcomes = all.flatMap(({ event }) => (event._tag === "CallFinished" ? [event.outcome._tag] : []))
      expect(outcomes).toEqual(["Unavailable", "Success"])
      // The script is used up: the run fails, and says so.
      yield* shop.post(prompt, { prompt: "More" })
      yield* idle(shop, session.id)
      expect((yield* shop.get("/api/runs")).json.runs[0].status).toBe("failed")
      expect((yield* shop.post(`/api/playground/${session.id}/stop`)).json.status).toBe("idle")
    })
  )

  it.scopedLive("exports a run and imports it elsewhere as the same bytes", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const { json } = yield* shop.post("/api/tools/find_orders/call", { arguments: { text: "tea" } })
      const exported = yield* shop.get(`/api/runs/${json.run}/export`)
      const other = yield* makeShop()
      expect((yield* other.post("/api/runs/import", exported.json)).status).toBe(200)
      expect((yield* other.get(`/api/runs/${json.run}/export`)).text).toBe(exported.text)
      expect((yield* other.post("/api/runs/import", exported.json)).status).toBe(409)
      expect((yield* shop.get("/api/runs/none/export")).status).toBe(404)
    })
  )

  it.scopedLive("shows no secret and no hidden value at any endpoint", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const session = (yield* shop.post("/api/playground", { model: "agent" })).json
      yield* shop.post(`/api/playground/${session.id}/prompt`, { prompt: "Refund my tea" })
      yield* idle(shop, session.id)
      const names = ["find_orders", "refund", "lacking", "crash", "redacted", hostileName]
      const texts: Array<string> = []
      for (const name of names) {
        const path = `/api/tools/${encodeURIComponent(name)}`
        for (const one of [
          yield* shop.get(path),
          yield* shop.post(`${path}/preview`, { arguments: { text: "a", order: "A1", amount: 200 } }),
          yield* shop.post(`${path}/call`, { arguments: { text: "a", order: "A1", amount: 200 } })
        ]) {
          expect(one.status).toBe(200)
          texts.push(one.text)
        }
      }
      yield* Effect.forEach(
        [
          "about",
          "problems",
          "tools",
          "toolsets",
          "toolsets/all",
          "toolsets/all/export",
          "runs",
          "approvals",
          "conversations",
          `conversations/${session.conversation}`,
          "playground",
          "openapi.json"
        ],
        (path) => Effect.map(shop.get(`/api/${path}`), ({ text }) => void texts.push(text))
      )
      for (const { id } of yield* shop.recorder.runs) {
        texts.push((yield* shop.get(`/api/runs/${id}/events`)).text, (yield* shop.get(`/api/runs/${id}/export`)).text)
      }
      const all = texts.join("\n")
      for (const secret of Object.values(secrets)) expect(all).not.toContain(secret)
      expect(all).toContain("MissingContext")
      expect(all).toContain("Defect")
    })
  )

  it.scopedLive("gives results of 5 MB and hostile names as they are", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const { json } = yield* shop.post("/api/tools/big/call", { arguments: {} })
      expect(json.outcome.value).toHaveLength(5_100_000)
      const exported = yield* shop.get(`/api/runs/${json.run}/export`)
      const other = yield* makeShop()
      expect((yield* other.post("/api/runs/import", exported.json)).status).toBe(200)
      const named = yield* shop.get(`/api/tools/${encodeURIComponent(hostileName)}`)
      expect([named.json.name, named.headers.get("content-type")]).toEqual([hostileName, "application/json"])
    })
  )

  it.scopedLive("records nothing of arguments, results and texts when that is switched off", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop({ recording: { arguments: false, results: false, texts: false } })
      const { json } = yield* shop.post("/api/tools/find_orders/call", { arguments: { text: "chamomile" } })
      expect((yield* shop.get(`/api/runs/${json.run}/export`)).text).not.toContain("chamomile")
    })
  )
})
