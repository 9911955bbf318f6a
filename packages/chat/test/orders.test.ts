/** Random runs of an agent, as pages of all versions read them: each chunk valid, and the same when it is drawn again. */
import { HttpAgent } from "@ag-ui/client"
import { EventSchemas } from "@ag-ui/core/schemas"
import { describe, expect, it } from "@effect/vitest"
import { Agent, AgentEvent, ConversationStore, DeferredCall } from "@wield/agent"
import { AgUi, type Chat, UiMessages } from "@wield/chat"
import { Approval, Content, CurrentCall, NeedsInput, Toolset } from "@wield/core"
import { ApiError } from "@wield/providers"
import { ScriptedModel } from "@wield/testing"
import { Effect, FastCheck } from "effect"
import { runs } from "../../../test/sizes.js"
import { type Message, versions } from "./page.js"

const { broken, call, partialCall, reasoning, refusal, text, turn } = ScriptedModel

const accepts = { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] }

const named = (name: string, execute: () => Effect.Effect<unknown, unknown, CurrentCall.CurrentCall>, more = {}) => ({
  name,
  execute,
  ...more
})

const tools = [
  named("ok", () => Effect.succeed({ found: [1, "two"] })),
  named("ask", () => Effect.succeed("done")),
  named("refuse", () => Effect.succeed("never")),
  named("bug", () => Effect.die(new Error("bug"))),
  named("late", () => Effect.never),
  named("map", () => Effect.void, { facts: { kind: "client" } }),
  named("picture", () => Effect.succeed([Content.text("A picture"), Content.image("image/png", "AAAA")]), {
    isContent: true
  }),
  named("typed", () => Effect.succeed(1), {
    inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
  }),
  named("slow", () =>
    Effect.gen(function* () {
      const { progress } = yield* CurrentCall.CurrentCall
      yield* progress({ percent: 10 })
      yield* Effect.yieldNow()
      yield* progress({ percent: 90 })
      return null
    })
  ),
  named("wish", () =>
    Effect.gen(function* () {
      const { input } = yield* CurrentCall.CurrentCall
      return input === undefined ? yield* new NeedsInput({ asks: "Which?", accepts, state: 1 }) : input.reply
    })
  )
]

/** What the tools of a test have, which the types of `dynamic` spell out. */
const toolsets = Toolset.dynamic(tools as unknown as ReadonlyArray<Toolset.DynamicTool>)

const overloaded = new ApiError.ProviderUnavailable({ format: "scripted", status: 529, detail: "overloaded" })

const words = FastCheck.constantFrom("", "Hello. ", "A longer piece of text", "\u2028\n\ndata: x", "é👍")
const callOf = FastCheck.tuple(
  FastCheck.constantFrom(...tools.map(({ name }) => name), "seek", "none"),
  FastCheck.constantFrom<unknown>({}, { task: "Look" }, { n: 1 }, "{broken", { __proto__: 1, a: { b: [null] } })
)
const partOf = FastCheck.oneof(
  { weight: 2, arbitrary: words.map((each) => text(each)) },
  words.map((each) => reasoning(each)),
  words.map((each) => refusal(each)),
  { weight: 4, arbitrary: callOf.map(([name, args]) => call(name, args)) },
  FastCheck.constant(call("web", { q: 1 }, { executedBy: "provider" }))
)
const turnOf = FastCheck.tuple(
  FastCheck.array(partOf, { minLength: 1, maxLength: 5 }),
  FastCheck.constantFrom("whole", "whole", "whole", "broken", "partial")
).map(([[first = text("a"), ...parts], how]) =>
  how === "whole"
    ? turn(first, ...parts)
    : how === "broken"
      ? broken(first, ...parts, overloaded)
      : broken(first, ...parts, partialCall("ok", '{"a":'), overloaded)
)

interface Told {
  readonly events: ReadonlyArray<Chat.Event>
  /** What the conversation had before. */
  readonly past: Chat.Past
  readonly isAnswer: boolean
}

interface Run {
  readonly told: ReadonlyArray<Told>
  readonly past: Chat.Past
}

/** A run, and those that go on with it when what waits is answered. */
const runOf = (script: ReadonlyArray<ScriptedModel.ScriptedTurn>, reply: number) =>
  Effect.gen(function* () {
    const once = [
      turn(reasoning("Hm."), text("I look."), call("ok")),
      // What waits within it makes the whole run wait.
      ...(reply % 3 === 0 ? [] : [turn(call("ask"), call("map"))]),
      text("Found.")
    ]
    const policy = {
      limits: { tools: { late: { timeout: "1 millis" } } },
      approval: ({ name }: { readonly name: string }) =>
        name === "ask" ? Approval.ask("why") : name === "refuse" ? Approval.deny("no") : Approval.allow
    }
    const inner = yield* Agent.make({
      model: yield* ScriptedModel.make(Array.from({ length: 20 }, () => once).flat()),
      toolset: yield* toolsets,
      policy
    } as never)
    const seek = yield* Agent.toToolset(inner, { name: "seek", description: "Seeks" })
    const agent = yield* Agent.make({
      model: yield* ScriptedModel.make([...script, text("End."), text("End."), text("End.")]),
      toolset: Toolset.combine(yield* toolsets, seek),
      retries: 3,
      mistakes: { perTool: 100, total: 1000 },
      policy
    } as never)
    const store = yield* ConversationStore.ConversationStore
    const conversation = yield* store.create({ id: "c" })
    const told: Array<Told> = []
    let input: object = { prompt: "Go", promptId: "m1" }
    let requests: ReadonlyArray<DeferredCall.DeferredCall> = []
    for (let round = 0; round < 5; round++) {
      const events: Array<Chat.Event> = []
      const entries = yield* conversation.entries
      const result = yield* Effect.either(
        Agent.run(agent, { ...input, conversation } as Agent.Input<{}>, {
          // Of any agent.
          onEvent: (event) => void events.push(AgentEvent.toJson(event as AgentEvent.AgentEvent))
        })
      )
      if (result._tag === "Left") events.push({ _tag: "Failed", code: "Failed", message: "It failed" })
      told.push({ events, past: { entries, requests }, isAnswer: round > 0 })
      requests = result._tag === "Right" && result.right._tag === "Paused" ? result.right.requests : []
      if (requests.length === 0) break
      const answers = requests.map((request) =>
        request.waitsFor === "client"
          ? DeferredCall.result(request, "seen")
          : request.waitsFor === "input"
            ? DeferredCall.reply(request, { colour: "red" })
            : reply % 2 === 0
              ? DeferredCall.approve(request)
              : DeferredCall.deny(request, "no")
      )
      input = { answers: reply > 1 ? answers : answers.slice(0, 1) }
    }
    return yield* Effect.succeed<Run>({ told, past: { entries: yield* conversation.entries, requests } })
  }).pipe(Effect.provide(ConversationStore.layerMemory), Effect.orDie)

type Version = keyof typeof versions

/** The message that a page makes of the chunks. */
const readBy = async (version: Version, chunks: ReadonlyArray<UiMessages.Chunk>, message: Message | undefined) => {
  // What the versions have in common.
  const { readUIMessageStream, uiMessageChunkSchema } = versions[version] as unknown as (typeof versions)[7]
  const { validate } = uiMessageChunkSchema()
  for (const chunk of chunks) {
    const verdict = await validate?.(chunk)
    expect(verdict).toMatchObject({ success: true })
  }
  const stream = new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    }
  })
  let last = message
  const errors: Array<unknown> = []
  // The page's own type of messages is that of its version.
  const options = {
    stream,
    message: structuredClone(message),
    onError: (error: unknown) => errors.push(error)
  } as never
  for await (const read of readUIMessageStream(options)) last = structuredClone(read) as Message
  const isFailed = chunks.some(({ type }) => type === "error")
  expect(isFailed ? [] : errors).toEqual([])
  return last
}

const pageOf = async (version: Version, { told }: Run) => {
  let message: Message | undefined
  for (const { events, isAnswer } of told) {
    const { push } = UiMessages.encoder({ version, message: isAnswer ? message?.id : undefined })
    message = await readBy(version, events.flatMap(push), message)
  }
  return message
}

/** What a page draws of a message, but for what only a stream has. */
const drawn = (message: Message | undefined) =>
  message?.parts.flatMap((part): ReadonlyArray<unknown> => {
    if (part.type === "data-progress" || part.type === "data-request") return []
    if (part.type === "text" || part.type === "reasoning") return part.text === "" ? [] : [[part.type, part.text]]
    if (!part.type.startsWith("tool-")) return [[part.type, part.url]]
    // A conversation has no calls of its sub-agents.
    if (isOfSubAgent(part)) return []
    const isOver = /^output-(error|denied)$/.test(part.state ?? "")
    return [[part.type, part.toolCallId, isOver ? "error" : [part.state, part.input, part.output]]]
  })

const isOfSubAgent = ({ toolCallId }: { readonly toolCallId?: string }) => toolCallId?.includes("/") === true

const isCall = (part: unknown) => Array.isArray(part) && String(part[0]).startsWith("tool-")

const isIn = (parts: ReadonlyArray<unknown>, part: unknown) =>
  parts.some((other) => JSON.stringify(other) === JSON.stringify(part))

const threadOf = async ({ told }: Run) => {
  let lines: ReadonlyArray<AgUi.Chunk> = []
  const agent = new HttpAgent({
    url: "http://localhost/agent",
    threadId: "t",
    fetch: () =>
      Promise.resolve(
        new Response(lines.map((line) => `data: ${JSON.stringify(line)}\n\n`).join(""), {
          headers: { "content-type": "text/event-stream" }
        })
      )
  })
  agent.addMessage({ id: "m1", role: "user", content: "Go" })
  for (const { events, past } of told) {
    const { push } = AgUi.encoder({ threadId: "t", runId: `r${lines.length}`, past })
    lines = events.flatMap(push)
    for (const line of lines) EventSchemas.parse(line)
    await agent
      .runAgent({
        resume: agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "resolved" as const, payload: {} }))
      })
      .catch((error: unknown) => {
        if (!events.some(({ _tag }) => _tag === "Failed")) throw error
      })
  }
  return agent.messages
}

describe("random runs", () => {
  it("are read by pages of every version, and drawn again as they were", async () => {
    await FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.array(turnOf, { minLength: 1, maxLength: 4 }),
        FastCheck.nat({ max: 3 }),
        async (script, reply) => {
          const run = await Effect.runPromise(runOf(script, reply) as Effect.Effect<Run>)
          await pageOf(5, run)
          await pageOf(6, run)
          const page = await pageOf(7, run)
          const left = page?.parts.filter((part) => isOfSubAgent(part) && !part.state?.startsWith("output-")) ?? []
          // Only what still waits is left.
          expect(left.length).toBeLessThanOrEqual(run.past.requests.length)
          const [, past] = UiMessages.fromPast(run.past, { version: 7 })
          const isBroken = run.told.some(({ events }) => events.some(({ _tag }) => _tag === "TurnBroken"))
          // Of a turn that broke behind a call the conversation keeps no reasoning, and no call that did not begin; each
          // that has run stands in both.
          const again = drawn(past as Message | undefined) ?? []
          const kept = isBroken ? again.filter(isCall) : again
          const shown = drawn(page) ?? []
          expect(isBroken ? shown.filter((part) => isIn(kept, part)) : shown).toEqual(kept)
          await threadOf(run)
        }
      ),
      { numRuns: runs(160) }
    )
  })
})
