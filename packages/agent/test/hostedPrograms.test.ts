/** Programs that a provider runs itself: their calls are ordinary calls, and what the API sent of them goes back as it was. */
import { HttpServerResponse } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Agent, DeferredCall, Model } from "@wield/agent"
import { Approval, type ToolDefinition, Toolset } from "@wield/core"
import { Anthropic, OpenAiResponses, type WireFormat } from "@wield/providers"
import { Effect } from "effect"
import { loopback } from "./loopback.js"

const program = { id: "cm_1", type: "program", call_id: "call_p", code: "await tools.stock({})", fingerprint: "gAAAA" }
const callOf = (name: string) => ({
  id: `fc_${name}`,
  type: "function_call",
  status: "in_progress",
  arguments: '{"sku":"s1"}',
  call_id: `call_${name}`,
  caller: { type: "program", caller_id: "call_p" },
  name
})
const end = { id: "cmo_1", type: "program_output", call_id: "call_p", result: "5", status: "completed" }
const said = {
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: "Enough.", annotations: [] }]
}

const server = { type: "server_tool_use", id: "srvtoolu_1", name: "code_execution", input: { code: "await stock()" } }
const useOf = (name: string) => ({
  type: "tool_use",
  id: `toolu_${name}`,
  name,
  input: { sku: "s1" },
  caller: { type: "code_execution_20260120", tool_id: "srvtoolu_1" }
})
const result = {
  type: "code_execution_tool_result",
  tool_use_id: "srvtoolu_1",
  content: { type: "code_execution_result", stdout: "5", stderr: "", return_code: 0, content: [] }
}

const responses = (...output: ReadonlyArray<object>) => ({
  object: "response",
  id: "resp_1",
  status: "completed",
  output,
  usage: { input_tokens: 1, output_tokens: 1 }
})

const anthropic = (stop: string, ...content: ReadonlyArray<object>) => ({
  type: "message",
  role: "assistant",
  id: "msg_1",
  model: "claude-sonnet-5",
  content,
  stop_reason: stop,
  usage: { input_tokens: 1, output_tokens: 1 }
})

interface Case {
  readonly format: WireFormat.WireFormat
  readonly answers: ReadonlyArray<object>
  /** The history of the last request, in the order in which it was said. */
  readonly history: (body: { readonly [key: string]: unknown }) => ReadonlyArray<unknown>
  readonly items: ReadonlyArray<unknown>
  /** Who may call the tool, as each API says it. */
  readonly settings: ToolDefinition.ProviderSettings
}

const settings: ToolDefinition.ProviderSettings = {
  anthropic: { allowed_callers: ["direct", "code_execution_20260120"] },
  "openai-responses": { allowed_callers: ["direct", "programmatic"] }
}

const cases: ReadonlyArray<Case> = [
  {
    settings,
    format: OpenAiResponses.format,
    answers: [responses(program, callOf("stock")), responses(callOf("reserve")), responses(end, said)],
    history: (body) => body["input"] as ReadonlyArray<unknown>,
    items: [
      program,
      callOf("stock"),
      expect.objectContaining({ type: "function_call_output", call_id: "call_stock", caller: callOf("stock").caller }),
      callOf("reserve"),
      expect.objectContaining({ type: "function_call_output", call_id: "call_reserve", caller: callOf("stock").caller })
    ]
  },
  {
    settings,
    format: Anthropic.format,
    answers: [
      anthropic("tool_use", server, useOf("stock")),
      anthropic("tool_use", useOf("reserve")),
      anthropic("end_turn", result, { type: "text", text: "Enough." })
    ],
    history: (body) =>
      (body["messages"] as ReadonlyArray<{ readonly content: ReadonlyArray<unknown> }>).flatMap(
        ({ content }) => content
      ),
    items: [
      server,
      useOf("stock"),
      expect.objectContaining({ type: "tool_result", tool_use_id: "toolu_stock" }),
      useOf("reserve"),
      expect.objectContaining({ type: "tool_result", tool_use_id: "toolu_reserve" })
    ]
  }
]

it.scoped.each(cases)("$format.name: calls of its programs are run, ask a person, and go back verbatim", (given) =>
  Effect.gen(function* () {
    const { url, requests } = yield* loopback((_, index) =>
      HttpServerResponse.unsafeJson(given.answers[index]).pipe(Effect.succeed)
    )
    const model = yield* Model.fromWire(given.format, { url, model: "m", isStreaming: false, retry: false })
    const ran: Array<string> = []
    const toolOf = (name: string): Toolset.DynamicTool => ({
      name,
      inputSchema: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] },
      execute: ({ sku }) => Effect.sync(() => `${ran.push(`${name} ${String(sku)}`)} left`)
    })
    const toolset = yield* Toolset.dynamic([toolOf("stock"), toolOf("reserve")])
    const agent = yield* Agent.make({
      model,
      toolset: Toolset.providerSettings(({ name }) => (name === "stock" ? given.settings : undefined))(toolset),
      policy: { approval: ({ name }) => (name === "reserve" ? Approval.ask("it binds us") : Approval.allow) }
    })
    const paused = yield* Agent.run(agent, "Is there enough?")
    expect(ran).toEqual(["stock s1"])
    if (paused._tag !== "Paused") throw new Error(`The run is ${paused._tag}`)
    expect(requests[0]?.body["tools"]).toMatchObject([{ name: "stock", ...given.settings[given.format.name] }, {}])
    expect(JSON.stringify(requests[0]?.body).match(/allowed_callers/g)).toHaveLength(1)
    const answers = paused.requests.map(DeferredCall.approve)
    const finished = yield* Agent.run(agent, { conversation: paused.conversation, answers })
    expect(finished.text).toBe("Enough.")
    expect(ran).toEqual(["stock s1", "reserve s1"])
    expect(given.history(requests[2]?.body ?? {}).slice(-given.items.length)).toEqual(given.items)
    // What is said next sends the program's end as well.
    expect(JSON.stringify(finished.entries.at(-1))).toContain(
      JSON.stringify(given.answers[2]).includes("program_output") ? "program_output" : "code_execution_tool_result"
    )
  }).pipe(Effect.provide(NodeHttpClient.layerUndici))
)
