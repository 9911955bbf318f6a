/** Tools that ask in the middle of a call, without knowing that a client of MCP is there to be asked. */
import { expect, it } from "@effect/vitest"
import { Approval, CurrentCall, type Json, NeedsInput, type Policy, Toolset } from "@wield/core"
import { McpClient, McpRequest, McpServer, McpTest } from "@wield/mcp"
import { Effect, Redacted, Schema } from "effect"
import { describe } from "vitest"

const seats: Json.JsonSchema = {
  type: "object",
  properties: { seat: { enum: ["aisle", "window"] } },
  required: ["seat"]
}

/** A tool that asks these questions one after the other, and what it has done. */
const asking = (questions: ReadonlyArray<{ asks: Json.Json; accepts: Json.JsonSchema }>) => {
  const begun: Array<number> = []
  const done: Array<Json.Json> = []
  const execute = Effect.fn(function* () {
    const { input } = yield* CurrentCall.CurrentCall
    const replies = input === undefined ? [] : [...(input.state as Array<Json.Json>), input.reply as Json.Json]
    begun.push(replies.length)
    const question = questions[replies.length]
    if (question !== undefined) return yield* new NeedsInput({ ...question, state: replies })
    done.push(replies)
    return { replies, times: done.length }
  })
  return { begun, done, tool: { name: "book", execute } satisfies Toolset.DynamicTool }
}

const serve = (
  tool: Toolset.DynamicTool,
  options: Pick<McpServer.Options, "secret"> & { readonly policy?: Policy.Policy } = {}
) =>
  Effect.flatMap(Toolset.dynamic([tool]), (toolset) =>
    McpServer.make({ name: "travel", version: "1", toolset, ...options })
  )

const forms = { capabilities: { elicitation: {} } }
const call = { name: "book", arguments: {} }

/** The call again, with an answer to everything that was asked. */
const answer = (asked: Json.JsonObject, ...answers: ReadonlyArray<Json.JsonObject>) => {
  const keys = Object.keys(asked["inputRequests"] ?? {})
  const inputResponses = Object.fromEntries(keys.map((key, index) => [key, answers[index] ?? {}]))
  return { ...call, requestState: asked["requestState"] ?? "", inputResponses }
}

const accept = (content: Json.JsonObject) => ({ action: "accept", content })
const yes = accept({ approve: true })

const paramsOf = (asked: Json.JsonObject) =>
  Object.values(asked["inputRequests"] as { [key: string]: { params: Json.JsonObject } }).map(({ params }) => params)

describe("A tool that needs input", () => {
  it.scoped("has the client show a form, and goes on with the reply, question after question", () =>
    Effect.gen(function* () {
      const { begun, done, tool } = asking([
        { asks: "Which seat?", accepts: seats },
        { asks: "How many bags?", accepts: { type: "integer", minimum: 0 } },
        { asks: { question: "Which meal?" }, accepts: { enum: ["rice", "pasta"] } }
      ])
      const client = yield* McpTest.pair(yield* serve(tool), forms)
      const seat = yield* client.request("tools/call", call)
      expect(paramsOf(seat)).toEqual([
        {
          mode: "form",
          message: "Which seat?",
          requestedSchema: { ...seats, properties: { seat: { type: "string", enum: ["aisle", "window"] } } }
        }
      ])
      const again = yield* client.request("tools/call", answer(seat, accept({ seat: "wing" })))
      expect(paramsOf(again)).toEqual(paramsOf(seat))
      const bags = yield* client.request("tools/call", answer(again, accept({ seat: "aisle" })))
      expect(paramsOf(bags)).toMatchObject([
        { message: "How many bags?", requestedSchema: { properties: { reply: { type: "integer" } } } }
      ])
      const meal = yield* client.request("tools/call", answer(bags, accept({ reply: 2 })))
      expect(paramsOf(meal)).toMatchObject([{ message: '{"question":"Which meal?"}' }])
      const ended = yield* client.request("tools/call", answer(meal, accept({ reply: "rice" })))
      expect(ended).toMatchObject({ structuredContent: { replies: [{ seat: "aisle" }, 2, "rice"], times: 1 } })
      // Each part of it ran once, and a state that was used lets nothing run again.
      expect(begun).toEqual([0, 1, 2, 3])
      yield* Effect.flip(client.request("tools/call", answer(meal, accept({ reply: "rice" }))))
      expect(done).toHaveLength(1)
    })
  )

  it.scoped("ends where the user declines or cancels", () =>
    Effect.gen(function* () {
      const { done, tool } = asking([{ asks: "Which seat?", accepts: seats }])
      const client = yield* McpTest.pair(yield* serve(tool), forms)
      for (const action of ["decline", "cancel"]) {
        const asked = yield* client.request("tools/call", call)
        const ended = yield* client.request("tools/call", answer(asked, { action }))
        expect(ended).toMatchObject({ isError: true })
        expect(JSON.stringify(ended)).toContain(`the user chose to ${action}`)
      }
      expect(done).toEqual([])
    })
  )

  for (const revision of ["2025-06-18", "2025-11-25"]) {
    it.scoped(`asks a client of ${revision} while the call waits`, () =>
      Effect.gen(function* () {
        const { begun, tool } = asking([
          { asks: "Which seat?", accepts: seats },
          { asks: "How many bags?", accepts: { type: "integer" } }
        ])
        const answers = [{ seat: "wing" }, { seat: "window" }, { reply: 1 }]
        const client = yield* McpTest.pair(yield* serve(tool), {
          ...forms,
          revision,
          answer: () => accept(answers.shift() ?? {})
        })
        const ended = yield* client.request("tools/call", call)
        expect(ended).toMatchObject({ structuredContent: { replies: [{ seat: "window" }, 1] } })
        expect(begun).toEqual([0, 1, 2])
      })
    )
  }

  it.scoped("is denied where the client cannot be asked", () =>
    Effect.gen(function* () {
      const { done, tool } = asking([{ asks: "Which seat?", accepts: seats }])
      const server = yield* serve(tool)
      const modern = yield* McpTest.pair(server)
      expect(yield* Effect.flip(modern.request("tools/call", call))).toMatchObject({ code: -32021 })
      const old = yield* McpTest.pair(server, { revision: "2024-11-05" })
      const ended = yield* old.request("tools/call", call)
      expect(ended).toMatchObject({ isError: true })
      expect(JSON.stringify(ended)).toContain("does not support elicitation")
      expect(done).toEqual([])
    })
  )

  it.scoped("is refused where no form has room for the reply", () =>
    Effect.gen(function* () {
      for (const accepts of [
        { type: "object", properties: { route: { type: "object", properties: { from: { type: "string" } } } } },
        { type: "array", items: { type: "integer" } },
        {}
      ]) {
        const { tool } = asking([{ asks: "What?", accepts }])
        const client = yield* McpTest.pair(yield* serve(tool), forms)
        const ended = yield* client.request("tools/call", call)
        expect(ended).toMatchObject({ isError: true })
        expect(JSON.stringify(ended)).toContain("no form of MCP has room for")
      }
    })
  )

  it.scoped("is approved first, once, where the policy asks", () =>
    Effect.gen(function* () {
      const { begun, done, tool } = asking([{ asks: "Which seat?", accepts: seats }])
      const server = yield* serve(tool, { policy: { approval: () => Approval.ask("it costs") } })
      const client = yield* McpTest.pair(server, forms)
      const approval = yield* client.request("tools/call", call)
      expect(begun).toEqual([])
      const seat = yield* client.request("tools/call", answer(approval, yes))
      expect(paramsOf(seat)).toMatchObject([{ message: "Which seat?" }])
      const ended = yield* client.request("tools/call", answer(seat, accept({ seat: "aisle" })))
      expect(ended).toMatchObject({ structuredContent: { replies: [{ seat: "aisle" }] } })
      expect({ begun, done }).toEqual({ begun: [0, 1], done: [[{ seat: "aisle" }]] })
    })
  )

  it.scoped("goes on in another process that knows the secret", () =>
    Effect.gen(function* () {
      const { begun, tool } = asking([{ asks: "Which seat?", accepts: seats }])
      const secret = Redacted.make("what both processes know, of 32 bytes")
      const first = yield* McpTest.pair(yield* serve(tool, { secret }), forms)
      const asked = yield* first.request("tools/call", call)
      const second = yield* McpTest.pair(yield* serve(tool, { secret }), forms)
      const ended = yield* second.request("tools/call", answer(asked, accept({ seat: "aisle" })))
      expect(ended).toMatchObject({ structuredContent: { replies: [{ seat: "aisle" }] } })
      expect(begun).toEqual([0, 1])
    })
  )

  it.scoped("may ask the client itself besides", () =>
    Effect.gen(function* () {
      const bags = McpRequest.form({ message: "Bags?", fields: { bags: Schema.Int } })
      const execute = Effect.fn(function* () {
        const { input } = yield* CurrentCall.CurrentCall
        if (input === undefined) return yield* new NeedsInput({ asks: "Which seat?", accepts: seats })
        const asked = yield* McpRequest.ask({ bags })
        return { seat: input.reply, bags: asked.bags }
      })
      const client = yield* McpTest.pair(yield* serve({ name: "book", execute }), forms)
      const seat = yield* client.request("tools/call", call)
      const more = yield* client.request("tools/call", answer(seat, accept({ seat: "aisle" })))
      expect(paramsOf(more)).toMatchObject([{ message: "Bags?" }])
      const ended = yield* client.request("tools/call", answer(more, accept({ bags: 2 })))
      expect(ended).toMatchObject({
        structuredContent: { seat: { seat: "aisle" }, bags: { action: "accept", content: { bags: 2 } } }
      })
    })
  )
})

describe("A server that hands on the tools of another", () => {
  it.scoped("hands on what the other asks, and the answer back", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const seat = McpRequest.form({ message: "Seat?", fields: Schema.Struct({ seat: Schema.Literal("aisle") }) })
      const text = McpRequest.sample({ messages: [{ role: "user", content: "A greeting" }], maxTokens: 10 })
      const behind = yield* serve({
        name: "book",
        execute: Effect.fn(function* () {
          const { seat: chosen, text: said } = yield* McpRequest.ask({ seat, text })
          return { chosen, said: said.content, times: paid.push(1) } as Json.Json
        })
      })
      const inner = yield* McpClient.connect("inner", McpTest.inMemory(behind), { elicit: "defer", sample: "defer" })
      const gateway = yield* McpServer.make({ name: "gateway", version: "1", toolset: inner.toolset })
      const client = yield* McpTest.pair(gateway, { capabilities: { elicitation: {}, sampling: {} } })
      const asked = yield* client.request("tools/call", { ...call, name: "inner_book" })
      const requests = Object.values(asked["inputRequests"] as { [key: string]: { method: string } })
      expect(requests.map(({ method }) => method).sort()).toEqual(["elicitation/create", "sampling/createMessage"])
      const keys = Object.keys(asked["inputRequests"] ?? {})
      const said = { role: "assistant", content: { type: "text", text: "Hello" }, model: "m" }
      const wrong = { action: "accept", content: { seat: "wing" } }
      const respond = (chosen: Json.JsonObject, state: Json.JsonObject) => ({
        ...call,
        name: "inner_book",
        requestState: state["requestState"] ?? "",
        inputResponses: Object.fromEntries(keys.map((key) => [key, key.endsWith("seat") ? chosen : said]))
      })
      const again = yield* client.request("tools/call", respond(wrong, asked))
      expect(paramsOf(again)).toMatchObject([{ message: "Seat?" }])
      const ended = yield* client.request("tools/call", respond(accept({ seat: "aisle" }), again))
      expect(ended).toMatchObject({
        structuredContent: {
          chosen: { action: "accept", content: { seat: "aisle" } },
          said: { type: "text", text: "Hello" },
          times: 1
        }
      })
    })
  )
})
