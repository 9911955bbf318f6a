import { createServer } from "node:http"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { runQuickStart } from "./run.js"

/** What OpenAI answers; the parts of a response that are not read are left out. */
interface Reply {
  readonly status: number
  readonly body: unknown
}

const completion = (message: unknown, finishReason: string): Reply => ({
  status: 200,
  body: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1763712000,
    model: "gpt-4.1-mini",
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  }
})

const call = (id: string, name: string, parameters: unknown) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(parameters) }
})

interface Received {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: unknown
}

/** A server on loopback that gives the replies in their order, and what it was sent. */
const serve = (replies: ReadonlyArray<Reply>) =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const server = yield* NodeHttpServer.make(() => createServer(), { port: 0, host: "127.0.0.1" })
    yield* server.serve(
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const reply = replies[received.length]
        received.push({ path: request.url, authorization: request.headers["authorization"], body: yield* request.json })
        return HttpServerResponse.unsafeJson(reply?.body ?? { error: { message: "no reply is left" } }, {
          status: reply?.status ?? 500
        })
      })
    )
    return { received, url: HttpServer.formatAddress(server.address) }
  })

const run = (url: string, key: string) =>
  Effect.promise(() =>
    runQuickStart(["--live", "Where is my kettle?"], {
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: "gpt-4.1-mini",
      NO_COLOR: "1",
      COLUMNS: "120"
    })
  )

describe("the quick start, live", () => {
  it.scopedLive("runs the model's calls and sends every result back, until the model answers", () =>
    Effect.gen(function* () {
      const asked = {
        role: "assistant",
        content: null,
        tool_calls: [
          call("call_a", "track_parcel", { orderId: "o_1005" }),
          call("call_b", "refund", { orderId: "o_1002", amount: 200, reason: "It leaks" }),
          call("call_c", "show_chart", { title: "Paid", bars: [{ label: "Kettle", value: 35 }] }),
          call("call_d", "no_such_tool", {})
        ],
        refusal: null
      }
      const { received, url } = yield* serve([
        completion(asked, "tool_calls"),
        completion({ role: "assistant", content: "It comes tomorrow.", refusal: null }, "stop")
      ])
      const result = yield* run(url, "sk-test")

      expect(result.ending).toBe("exit code 0")
      expect(result.output).toContain("It comes tomorrow.")
      expect(result.output).toMatch(/Paid\n +Kettle +█+ 35/)
      expect(received).toHaveLength(2)
      expect(received[0]).toMatchObject({
        path: "/v1/chat/completions",
        authorization: "Bearer sk-test",
        body: {
          model: "gpt-4.1-mini",
          messages: [{ role: "system" }, { role: "user", content: "Where is my kettle?" }],
          tools: ["get_orders", "track_parcel", "refund", "show_chart"].map((name) => ({ function: { name } }))
        }
      })
      expect(received[1]?.body).toMatchObject({
        messages: [
          { role: "system" },
          { role: "user" },
          asked,
          { role: "tool", tool_call_id: "call_a", content: expect.stringContaining("Royal Pigeon") },
          { role: "tool", tool_call_id: "call_b", content: expect.stringContaining('"stillRefundable":89') },
          { role: "tool", tool_call_id: "call_c", content: '{"shown":true}' },
          { role: "tool", tool_call_id: "call_d", content: expect.stringContaining("There is no tool named") }
        ]
      })
      expect(JSON.stringify(received)).not.toContain("customerId")
      expect(JSON.stringify(received)).not.toContain("cus_7f3a91")
    })
  )

  it.scopedLive(
    "ends with exit code 1 and the API's own words when the key is refused, and does not show the key",
    () =>
      Effect.gen(function* () {
        const { url } = yield* serve([{ status: 401, body: { error: { message: "Incorrect API key provided" } } }])
        const result = yield* run(url, "sk-very-secret")
        expect(result.ending).toBe("exit code 1")
        expect(result.output).toContain("401: Incorrect API key provided")
        expect(result.output).not.toContain("sk-very-secret")
      })
  )

  it.live("ends with exit code 1 and says what is missing without a key", () =>
    Effect.gen(function* () {
      const result = yield* Effect.promise(() => runQuickStart(["--live"], {}))
      expect(result.ending).toBe("exit code 1")
      expect(result.output).toContain("set OPENAI_API_KEY")
    })
  )
})
