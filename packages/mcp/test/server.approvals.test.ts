import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { Approval, Hidden, Journal, type Json, Response, Toolset } from "@wield/core"
import { McpRequest, McpServer, McpTest } from "@wield/mcp"
import { Effect, Option, Redacted, Schema } from "effect"
import { describe } from "vitest"

const approvalKey = "tools.wield/approval"

/** A shop where refunds over 100 need approval, and what it has paid. */
const shop = (options: Partial<McpServer.Options> = {}) =>
  Effect.gen(function* () {
    const paid: Array<number> = []
    const toolset = yield* Toolset.dynamic([
      {
        name: "refund",
        inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
        execute: ({ amount }) => Effect.sync(() => `refund ${paid.push(Number(amount))}`)
      }
    ])
    const server = yield* McpServer.make({
      name: "shop",
      version: "1",
      toolset,
      policy: {
        approval: ({ parameters }) =>
          (parameters as { amount: number }).amount > 100 ? Approval.ask("over 100") : Approval.allow
      },
      ...options
    })
    return { paid, server }
  })

const refund = (amount: number, more: Json.JsonObject = {}) => ({ name: "refund", arguments: { amount }, ...more })

const forms = { capabilities: { elicitation: {} } }

/** The client's retry of a call, with what a person answered. */
const answer = (asked: Json.JsonObject, response: Json.JsonObject) => ({
  requestState: asked["requestState"] ?? "",
  inputResponses: { [approvalKey]: response }
})

const yes = { action: "accept", content: { approve: true } }

/** A bank whose payments need approval, from an account that the model does not see. */
const bank = ({
  approvals = "client",
  ask = Effect.void
}: Pick<Partial<McpServer.Options>, "approvals"> & {
  readonly ask?: Effect.Effect<unknown>
} = {}) =>
  Effect.gen(function* () {
    const paid: Array<string> = []
    const Bank = Toolkit.make(
      Tool.make("pay", { parameters: { account: Schema.String }, success: Schema.String }).pipe(
        Hidden.fields("account")
      )
    )
    const toolset = yield* Effect.provide(
      Toolset.fromToolkit(Bank),
      Bank.toLayer({
        pay: ({ account }) =>
          Effect.zipRight(
            ask,
            Effect.sync(() => `payment ${paid.push(account)}`)
          )
      })
    )
    let values: { account?: string } = { account: "a_1" }
    const server = yield* McpServer.make({
      name: "bank",
      version: "1",
      toolset,
      policy: { approval: () => Approval.ask() },
      context: () => Effect.sync(() => values),
      approvals
    })
    return { paid, server, setValues: (given: typeof values) => void (values = given) }
  })

describe("A call that needs approval", () => {
  it.scoped("asks the person at the client, and runs once when they approve", () =>
    Effect.gen(function* () {
      const { paid, server } = yield* shop()
      const client = yield* McpTest.pair(server, forms)
      const asked = yield* client.request("tools/call", refund(500))
      expect(asked).toMatchObject({
        resultType: "input_required",
        inputRequests: {
          [approvalKey]: {
            method: "elicitation/create",
            params: { mode: "form", requestedSchema: { required: ["approve"] } }
          }
        }
      })
      expect(JSON.stringify(asked["inputRequests"])).toContain("over 100")
      expect(paid).toEqual([])
      const done = yield* client.request("tools/call", refund(500, answer(asked, yes)))
      expect(done).toMatchObject({ structuredContent: "refund 1" })
      // The client's state is used up.
      expect(yield* Effect.flip(client.request("tools/call", refund(500, answer(asked, yes))))).toMatchObject({
        code: -32602
      })
      expect(paid).toEqual([500])
    })
  )

  it.scoped("runs once when the answer comes again, after the server lacked a hidden field for it", () =>
    Effect.gen(function* () {
      const { paid, server, setValues } = yield* bank()
      const client = yield* McpTest.pair(server, forms)
      const pay = (more: Json.JsonObject = {}) => client.request("tools/call", { name: "pay", arguments: {}, ...more })
      const asked = yield* pay()
      setValues({})
      expect(yield* Effect.flip(pay(answer(asked, yes)))).toMatchObject({ code: -32603 })
      expect(paid).toEqual([])
      setValues({ account: "a_1" })
      expect(yield* pay(answer(asked, yes))).toMatchObject({ structuredContent: "payment 1" })
      expect(yield* Effect.flip(pay(answer(asked, yes)))).toMatchObject({ code: -32602 })
      expect(paid).toEqual(["a_1"])
    })
  )

  it.scoped("asks for a decision on a page once, also where the server lacks a hidden field before and after it", () =>
    Effect.gen(function* () {
      const decisions: Array<Response.Approve> = []
      const sure = McpRequest.form({ message: "Sure?", fields: Schema.Struct({ sure: Schema.Boolean }) })
      const { paid, server, setValues } = yield* bank({
        ask: Effect.flatMap(Effect.serviceOption(McpRequest.McpRequest), (request) =>
          Effect.orDie(
            Effect.provideService(McpRequest.ask({ sure }), McpRequest.McpRequest, Option.getOrThrow(request))
          )
        ),
        approvals: {
          url: () => Effect.succeed("https://shop.example/approve"),
          // As a page has it that holds for one call.
          decision: () => Effect.sync(() => decisions.shift())
        }
      })
      const client = yield* McpTest.pair(server, { capabilities: { elicitation: { url: {}, form: {} } } })
      const pay = (more: Json.JsonObject = {}) => client.request("tools/call", { name: "pay", arguments: {}, ...more })
      const answerTo = ({ requestState = "" }: Json.JsonObject, inputResponses: Json.JsonObject) => ({
        requestState,
        inputResponses
      })
      const visited = answerTo(yield* pay(), { "tools.wield/approval/0": { action: "accept" } })
      decisions.push(Response.approve)
      setValues({})
      expect(yield* pay(visited)).toMatchObject({ isError: true })
      setValues({ account: "a_1" })
      const isSure = answerTo(yield* pay(visited), { sure: { action: "accept", content: { sure: true } } })
      expect(decisions).toEqual([])
      setValues({})
      expect(yield* Effect.flip(pay(isSure))).toMatchObject({ code: -32603 })
      setValues({ account: "a_1" })
      expect(yield* pay(isSure)).toMatchObject({ structuredContent: "payment 1" })
      expect(yield* Effect.flip(pay(isSure))).toMatchObject({ code: -32602 })
      expect(paid).toEqual(["a_1"])
    })
  )

  it.scoped("does not run when they decline, cancel, or do not tick the box", () =>
    Effect.gen(function* () {
      const { paid, server } = yield* shop()
      const client = yield* McpTest.pair(server, forms)
      for (const response of [
        { action: "decline" },
        { action: "cancel" },
        { action: "accept", content: { approve: false, reason: "too much" } }
      ]) {
        const asked = yield* client.request("tools/call", refund(500))
        expect(yield* client.request("tools/call", refund(500, answer(asked, response)))).toMatchObject({
          isError: true
        })
      }
      expect(paid).toEqual([])
    })
  )

  it.scoped("asks again when the answer is missing or makes no sense", () =>
    Effect.gen(function* () {
      const { paid, server } = yield* shop()
      const client = yield* McpTest.pair(server, forms)
      const asked = yield* client.request("tools/call", refund(500))
      for (const inputResponses of [
        {},
        { other: yes },
        { [approvalKey]: { action: "accept", content: { approve: "yes" } } },
        { [approvalKey]: { action: "accept" } }
      ]) {
        const again = yield* client.request(
          "tools/call",
          refund(500, { requestState: asked["requestState"] ?? "", inputResponses })
        )
        expect(again["resultType"]).toBe("input_required")
      }
      // Answers without a state answer nothing.
      expect(
        yield* client.request("tools/call", refund(500, { inputResponses: { [approvalKey]: yes } }))
      ).toMatchObject({
        resultType: "input_required"
      })
      expect(paid).toEqual([])
    })
  )

  it.scoped("refuses a state that was altered, has expired, or was given for something else", () =>
    Effect.gen(function* () {
      const { paid, server } = yield* shop()
      const client = yield* McpTest.pair(server, forms)
      const asked = yield* client.request("tools/call", refund(500))
      const state = String(asked["requestState"])
      const other = yield* shop()
      const foreign = yield* McpTest.pair(other.server, forms)
      const late = yield* shop({ roundTime: 0 })
      const slow = yield* McpTest.pair(late.server, forms)
      const expired = yield* slow.request("tools/call", refund(500))
      const attempts = [
        client.request("tools/call", refund(501, answer(asked, yes))),
        client.request("tools/call", {
          ...refund(500, answer(asked, yes)),
          _meta: { "tools.wield/idempotencyKey": "k" }
        }),
        client.request("tools/call", refund(500, answer({ requestState: `${state.slice(0, -2)}AA` }, yes))),
        client.request("tools/call", refund(500, answer({ requestState: "" }, yes))),
        client.request("tools/call", refund(500, answer({ requestState: "x".repeat(10_000) }, yes))),
        foreign.request("tools/call", refund(500, answer(asked, yes))),
        slow.request("tools/call", refund(500, answer(expired, yes)))
      ]
      for (const attempt of attempts) {
        expect(yield* Effect.flip(attempt)).toMatchObject({ code: -32602, message: "Invalid or expired requestState" })
      }
      expect([paid, other.paid, late.paid]).toEqual([[], [], []])
    })
  )

  it.each(["its own journal", "a journal of the program"])(
    "gives its result again by its key where its handler asked, with %s",
    (kind) =>
      Effect.gen(function* () {
        const journal = kind === "its own journal" ? undefined : yield* Journal.memory
        let printed = 0
        const copies = McpRequest.form({ message: "How many?", fields: Schema.Struct({ copies: Schema.Int }) })
        const execute = () => Effect.map(McpRequest.ask({ copies }), () => `print ${++printed}`)
        const toolset = yield* Toolset.dynamic([{ name: "print", execute }])
        const policy = { approval: () => Approval.ask(), ...(journal === undefined ? {} : { journal }) }
        const client = yield* McpTest.pair(
          yield* McpServer.make({ name: "printer", version: "1", toolset, policy }),
          forms
        )
        const call = { name: "print", arguments: {}, _meta: { "tools.wield/idempotencyKey": "k" } }
        const two = { copies: { action: "accept", content: { copies: 2 } } }
        for (let time = 1; time <= 2; time++) {
          const asked = yield* client.request("tools/call", call)
          const asking = yield* client.request("tools/call", { ...call, ...answer(asked, yes) })
          expect(asking).toMatchObject({ resultType: "input_required" })
          // The first time, no answer comes: the client has not read what was asked.
          if (time === 1) continue
          const state = asking["requestState"] ?? ""
          const done = yield* client.request("tools/call", { ...call, requestState: state, inputResponses: two })
          expect(done).toMatchObject({ structuredContent: "print 1" })
        }
        expect(yield* client.request("tools/call", call)).toMatchObject({ structuredContent: "print 1" })
      }).pipe(Effect.scoped, Effect.runPromise)
  )

  it.scoped("can be answered to another process that has the secret", () =>
    Effect.gen(function* () {
      const secret = Redacted.make("a secret that two processes share")
      const [first, second] = yield* Effect.all([shop({ secret }), shop({ secret })])
      const before = yield* McpTest.pair(first.server, forms)
      const asked = yield* before.request("tools/call", refund(500))
      const after = yield* McpTest.pair(second.server, forms)
      expect(yield* after.request("tools/call", refund(500, answer(asked, yes)))).toMatchObject({
        content: [{ text: "refund 1" }]
      })
      expect([first.paid, second.paid]).toEqual([[], [500]])
    })
  )

  for (const revision of ["2025-06-18", "2025-11-25"]) {
    it.scoped(`asks a client of ${revision} while the call waits`, () =>
      Effect.gen(function* () {
        const { paid, server } = yield* shop()
        const actions = ["accept", "decline"]
        const asked: Array<string> = []
        const client = yield* McpTest.pair(server, {
          ...forms,
          revision,
          answer: (method) => {
            asked.push(method)
            const action = actions.shift() ?? "cancel"
            return { action, ...(action === "accept" ? { content: { approve: true } } : {}) }
          }
        })
        expect(yield* client.request("tools/call", refund(500))).toMatchObject({ content: [{ text: "refund 1" }] })
        expect(yield* client.request("tools/call", refund(600))).toMatchObject({ isError: true })
        expect(asked).toEqual(["elicitation/create", "elicitation/create"])
        expect(paid).toEqual([500])
      })
    )
  }

  it.scoped("is denied where no person can be asked", () =>
    Effect.gen(function* () {
      const { paid, server } = yield* shop()
      const mute = yield* McpTest.pair(server)
      const old = yield* McpTest.pair(server, { revision: "2024-11-05" })
      const strict = yield* shop({ approvals: "deny" })
      const denied = yield* McpTest.pair(strict.server, forms)
      for (const client of [mute, old, denied]) {
        expect(yield* client.request("tools/call", refund(500))).toMatchObject({ isError: true })
      }
      expect([paid, strict.paid]).toEqual([[], []])
    })
  )

  it.scoped("can be decided on a page, whatever the client can do", () =>
    Effect.gen(function* () {
      const decided = new Map<string, Response.Approve | Response.Deny>()
      const waiting: Array<string> = []
      const { paid, server } = yield* shop({
        approvals: {
          url: ({ id }) => Effect.sync(() => `https://shop.example/approve/${waiting.push(id)}`),
          decision: ({ id }) =>
            Effect.sync(() => {
              const found = decided.get(id)
              decided.delete(id)
              return found
            })
        }
      })
      const client = yield* McpTest.pair(server, { capabilities: { elicitation: { url: {} } } })
      const asked = yield* client.request("tools/call", refund(500))
      expect(asked["inputRequests"]).toMatchObject({
        "tools.wield/approval/0": { params: { mode: "url", url: "https://shop.example/approve/1" } }
      })
      // The client's word alone is no approval.
      const opened = {
        requestState: asked["requestState"] ?? "",
        inputResponses: { "tools.wield/approval/0": { action: "accept" } }
      }
      expect(yield* client.request("tools/call", refund(500, opened))).toMatchObject({ resultType: "input_required" })
      expect(paid).toEqual([])
      decided.set(waiting[0] ?? "", Response.approve)
      expect(yield* client.request("tools/call", refund(500, opened))).toMatchObject({ structuredContent: "refund 1" })
      const mute = yield* McpTest.pair(server, { revision: "2025-06-18" })
      const told = yield* mute.request("tools/call", refund(600))
      expect(JSON.stringify(told)).toContain("https://shop.example/approve/")
      decided.set(waiting.at(-1) ?? "", Response.deny("no"))
      expect(yield* mute.request("tools/call", refund(600))).toMatchObject({ isError: true })
      expect(paid).toEqual([500])
    })
  )
})

describe("A handler that asks", () => {
  const Size = Schema.Struct({ size: Schema.Literal("S", "M", "L"), count: Schema.optional(Schema.Int) })
  const shirts = Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([
      {
        name: "order",
        execute: () =>
          Effect.gen(function* () {
            const { size } = yield* McpRequest.ask({ size: McpRequest.form({ message: "Which size?", fields: Size }) })
            if (size.action !== "accept") return `not ordered: ${size.action}`
            const { roots, text } = yield* McpRequest.ask({
              roots: McpRequest.roots,
              text: McpRequest.sample({
                messages: [{ role: "user", content: { type: "text", text: "A slogan" } }],
                maxTokens: 20
              })
            })
            return `${size.content.size}: ${JSON.stringify(text.content)} in ${roots[0]?.uri}`
          })
      }
    ])
    return yield* McpServer.make({ name: "shirts", version: "1", toolset })
  })
  const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} }
  const answers: { [method: string]: Json.JsonObject } = {
    "elicitation/create": { action: "accept", content: { size: "M" } },
    "sampling/createMessage": { role: "assistant", content: { type: "text", text: "Wear it" }, model: "m" },
    "roots/list": { roots: [{ uri: "file:///home" }] }
  }
  const expected = 'M: {"type":"text","text":"Wear it"} in file:///home'

  it.scoped("goes on in the next round with what was answered", () =>
    Effect.gen(function* () {
      const client = yield* McpTest.pair(yield* shirts, { capabilities })
      let params: Json.JsonObject = { name: "order", arguments: {} }
      const rounds: Array<ReadonlyArray<string>> = []
      for (;;) {
        const result = yield* client.request("tools/call", params)
        if (result["resultType"] !== "input_required") {
          expect(result["structuredContent"]).toBe(expected)
          break
        }
        const requests = result["inputRequests"] as never as { [key: string]: { method: string } }
        rounds.push(Object.keys(requests))
        const inputResponses = Object.fromEntries(
          Object.entries(requests).map(([key, { method }]) => [key, answers[method] ?? {}])
        )
        params = { name: "order", arguments: {}, requestState: result["requestState"] ?? "", inputResponses }
      }
      expect(rounds).toEqual([["size"], ["roots", "text"]])
    })
  )

  it.scoped("waits for a client of before", () =>
    Effect.gen(function* () {
      const client = yield* McpTest.pair(yield* shirts, {
        capabilities,
        revision: "2025-11-25",
        answer: (method) => answers[method] ?? {}
      })
      expect(yield* client.request("tools/call", { name: "order", arguments: {} })).toEqual({
        content: [{ type: "text", text: expected }]
      })
    })
  )

  it.scoped("ends where the client cannot be asked", () =>
    Effect.gen(function* () {
      const server = yield* shirts
      const order = { name: "order", arguments: {} }
      const mute = yield* McpTest.pair(server)
      expect(yield* Effect.flip(mute.request("tools/call", order))).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { elicitation: {} } }
      })
      const old = yield* McpTest.pair(server, { revision: "2025-11-25" })
      expect(yield* old.request("tools/call", order)).toMatchObject({ isError: true })
    })
  )
})
