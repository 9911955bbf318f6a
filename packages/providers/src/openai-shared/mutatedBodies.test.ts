import { expect, it } from "@effect/vitest"
import { Json, Outcome, Turn } from "@wield/core"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as OpenAiChat from "../OpenAiChat.js"
import * as OpenAiResponses from "../OpenAiResponses.js"
import { WireError } from "../WireError.js"
import type { WireFormat } from "../WireFormat.js"
import { runs } from "../../../../test/sizes.js"

const chat = {
  id: "chatcmpl-1",
  model: "m",
  choices: [
    {
      finish_reason: "tool_calls",
      message: {
        role: "assistant",
        content: [
          { type: "text", text: "A" },
          { type: "thinking", thinking: "T" }
        ],
        reasoning_details: [{ text: "R" }],
        refusal: "no",
        audio: { transcript: "S" },
        function_call: { name: "f", arguments: "{}" },
        executed_tools: [{ type: "python", arguments: "{}" }],
        tool_calls: [
          { id: "a", type: "function", function: { name: "f", arguments: '{"x":null}' } },
          { id: "a", type: "custom", custom: { name: "g", input: "i" } },
          { type: "function", function: { name: "__proto__", arguments: { x: null } } }
        ]
      }
    }
  ],
  usage: {
    prompt_tokens: 1,
    completion_tokens: 2,
    total_tokens: 4,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 1 }
  }
}

const responses = {
  id: "resp_1",
  object: "response",
  status: "incomplete",
  incomplete_details: { reason: "max_output_tokens" },
  error: { code: "e" },
  output: [
    { type: "reasoning", summary: [{ text: "S" }], content: [{ text: "C" }] },
    {
      type: "message",
      content: [
        { type: "output_text", text: "A" },
        { type: "refusal", refusal: "no" }
      ]
    },
    { type: "function_call", call_id: "a", name: "f", arguments: '{"x":null}', caller: { type: "program" } },
    { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
    { type: "custom_tool_call", call_id: "c", name: "g", input: "i" },
    { type: "computer_call", call_id: "d", action: {}, pending_safety_checks: [{ id: "s" }] },
    { type: "shell_call", call_id: "e", action: { max_output_length: 3 }, environment: { type: "local" } },
    { type: "shell_call_output", call_id: "e2", output: [] },
    { type: "tool_search_call", call_id: "f", execution: "client", arguments: {} },
    { type: "apply_patch_call", call_id: "g", operation: {} },
    { type: "web_search_call", id: "ws", action: {} },
    { type: "mcp_approval_request", id: "mcpr", name: "n", arguments: "{}" }
  ],
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3, input_tokens_details: {}, output_tokens_details: {} }
}

/** All places of a value, as the object or array that has it and its key there. */
const places = (value: unknown): ReadonlyArray<readonly [object, string]> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, field]) => [[value, key] as const, ...places(field)])

const mutation = FastCheck.tuple(
  FastCheck.nat(),
  FastCheck.oneof(
    FastCheck.constant(undefined),
    FastCheck.constantFrom<Array<unknown>>(null, "", "text", 0, -1, [], {}, [null], { type: "function_call" }),
    FastCheck.jsonValue()
  )
)

/** A copy in which some places hold something else, or nothing. */
const mutated = (body: object, mutations: ReadonlyArray<readonly [number, unknown]>): unknown => {
  const copy = structuredClone(body)
  for (const [at, value] of mutations) {
    const all = places(copy)
    const place = all[at % Math.max(all.length, 1)]
    if (place === undefined) continue
    if (value === undefined) Reflect.deleteProperty(...place)
    else Reflect.set(...place, structuredClone(value))
  }
  return copy
}

const formats = [
  { format: OpenAiChat.format, body: chat },
  { format: OpenAiResponses.format, body: responses }
]

/** Ids that wait for a person's answer, not for a result. A mutation can give them the id of a call. */
const approvalIds = (turn: Turn.Turn): ReadonlySet<unknown> =>
  new Set(
    turn.native.flatMap((item) => (Json.isObject(item) && item["type"] === "mcp_approval_request" ? [item["id"]] : []))
  )

/** Whether the result of each call of a turn is sent, also where two calls share an id. */
const isAnswerable =
  (format: WireFormat) =>
  (turn: Turn.Turn): boolean => {
    const calls = Turn.calls(turn)
    const outcomes = calls.map((call) => Outcome.success(call, 1))
    const { messages, pending } = format.encodeResults(turn, outcomes)
    const approvals = approvalIds(turn)
    const ids = new Set(calls.map((call) => call.id).filter((id) => !approvals.has(id)))
    // What a search without a hit says beside its result.
    const results = messages.filter((message) => !(Json.isObject(message) && message["role"] === "developer"))
    // A model that said nothing has a message all the same.
    return results.length === Math.max(turn.native.length, 1) + calls.length && !pending.some((id) => ids.has(id))
  }

const offered = { isStrict: true, definitions: [] }

it.each(formats)(
  "$format.name: a mutated body is a turn whose calls can all be answered, or a WireError",
  ({ format, body }) => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(mutation, { maxLength: 6 }), (mutations) => {
        const decoded = format.decodeTurn(mutated(body, mutations), offered)
        expect(Either.isRight(decoded) || decoded.left instanceof WireError).toBe(true)
        expect(
          Either.match(decoded, { onLeft: (error) => error.message.length < 2000, onRight: isAnswerable(format) })
        ).toBe(true)
      }),
      { numRuns: runs(2000) }
    )
  }
)

it.each(formats)("$format.name: no value at all makes it throw", ({ format }) => {
  FastCheck.assert(
    FastCheck.property(FastCheck.anything(), (body) => {
      expect(Either.isEither(format.decodeTurn(body, offered))).toBe(true)
      expect(typeof format.isFormatOf(body)).toBe("boolean")
    }),
    { numRuns: runs(1000) }
  )
})

it.each(formats)("$format.name: tells its own bodies from the other's", ({ format, body }) => {
  for (const other of formats) expect(format.isFormatOf(other.body)).toBe(other.body === body)
})
