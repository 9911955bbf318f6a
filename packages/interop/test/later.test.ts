/** Hosts that stop and go on later run a call again from its beginning, with the answers that they have kept. */
import { AIMessage } from "@langchain/core/messages"
import { Command, interrupt, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph"
import { ToolNode } from "@langchain/langgraph/prebuilt"
import { Approval, CurrentCall, Journal, Json, NeedsInput, ToolRunner, Toolset } from "@wield/core"
import type { Reply, Waiting } from "@wield/interop/approval"
import * as AiSdk from "@wield/interop/ai-sdk"
import * as Genkit from "@wield/interop/genkit"
import * as LangChain from "@wield/interop/langchain"
import * as Mastra from "@wield/interop/mastra"
import * as OpenAiAgents from "@wield/interop/openai-agents"
import { Effect } from "effect"
import { expect, it } from "vitest"

const open = async (rule: Approval.Rule = () => Approval.ask("it costs")) => {
  const done: Array<string> = []
  const run = await Effect.runPromise(
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        {
          name: "pay",
          inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
          execute: ({ amount }) => Effect.sync(() => `paid ${done.push(`pay ${String(amount)}`)}`)
        },
        {
          name: "book",
          execute: () =>
            Effect.gen(function* () {
              const { input } = yield* CurrentCall.CurrentCall
              const said = input === undefined ? [] : [...(input.state as ReadonlyArray<string>), String(input.reply)]
              if (said.length < 2)
                return yield* new NeedsInput({
                  asks: `question ${said.length}`,
                  accepts: { type: "string" },
                  state: said
                })
              return `booked ${done.push(said.join())}`
            })
        }
      ])
      const runner = yield* ToolRunner.make(toolset, {
        approval: rule,
        journal: yield* Journal.memory
      })
      return runner.forRun({ id: "run" })
    })
  )
  return { done, run }
}

const give =
  (reply: Reply) =>
  ({ id }: Waiting) => ({ id, reply })

const graphOf = async (
  calls: ReadonlyArray<{ readonly name: string; readonly args: Record<string, unknown> }>,
  rule?: Approval.Rule
) => {
  const { done, run } = await open(rule)
  const tools = await Effect.runPromise(LangChain.fromRun(run, { ask: interrupt }))
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("tools", new ToolNode(tools, { handleToolErrors: false }))
    .addEdge("__start__", "tools")
    .compile({ checkpointer: new MemorySaver() })
  const thread = { configurable: { thread_id: "t" } }
  const message = new AIMessage({
    content: "",
    tool_calls: calls.map((call, index) => ({ type: "tool_call", id: `call_${index}`, ...call }))
  })
  const waiting = async () =>
    (await graph.getState(thread)).tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value as Waiting))
  await graph.invoke({ messages: [message] }, thread)
  const resume = async (answerTo: (waiting: Waiting) => unknown) => {
    const [first] = await waiting()
    if (first === undefined) throw new Error("nothing waits")
    await graph.invoke(new Command({ resume: answerTo(first) }), thread)
  }
  const texts = async () => {
    const { messages } = (await graph.getState(thread)).values as { readonly messages: ReadonlyArray<AIMessage> }
    return messages.slice(1).map(({ content }) => content)
  }
  return { done, resume, texts, waiting }
}

it("runs each of two calls of one turn that were approved one after the other, once", async () => {
  const { done, resume, texts, waiting } = await graphOf([
    { name: "pay", args: { amount: 1 } },
    { name: "pay", args: { amount: 2 } }
  ])
  for (let asked = 0; asked < 2; asked++) await resume(give("approve"))
  expect(await waiting()).toEqual([])
  expect(await texts()).toEqual(["paid 1", "paid 2"])
  expect(done).toEqual(["pay 1", "pay 2"])
})

it("asks about the second of two calls where the answer to the first comes twice", async () => {
  const { done, resume, texts, waiting } = await graphOf([
    { name: "pay", args: { amount: 1 } },
    { name: "pay", args: { amount: 2 } }
  ])
  const answers: Array<unknown> = []
  await resume((asked) => (answers[0] = give("approve")(asked)))
  await resume(() => answers[0])
  expect(await waiting()).toMatchObject([{ arguments: { amount: 2 } }])
  expect(done).toEqual(["pay 1"])
  await resume(give({ deny: "no" }))
  expect(await texts()).toEqual(["paid 1", expect.stringContaining("denied and not run: no")])
  expect(done).toEqual(["pay 1"])
})

it("gives each question of a call the answer to that question", async () => {
  const { done, resume, texts, waiting } = await graphOf([{ name: "book", args: {} }])
  await resume(give("approve"))
  await resume(give({ input: "aisle" }))
  await resume(({ id, input }) => ({ id, reply: { input: `bag, to ${String(input?.asks)}` } }))
  expect(await waiting()).toEqual([])
  expect(await texts()).toEqual(["booked 1"])
  expect(done).toEqual(["aisle,bag, to question 1"])
})

it("takes no reply without the id of its question, which could be to an earlier one", async () => {
  const { done, resume, texts } = await graphOf([{ name: "book", args: {} }])
  await resume(give("approve"))
  await resume(() => ({ input: "aisle" }))
  expect(await texts()).toEqual([expect.stringContaining("does not repeat the id")])
  expect(done).toEqual([])
})

/** Answers to a call that would pay 20, and what they make it do. */
const answers = [
  [{ deny: "no" }, []],
  [{ approve: { amount: 2 } }, ["pay 2"]],
  ["approve", ["pay 20"]]
] as const

it("runs no call that was denied or changed in LangGraph as the model sent it, where the rule allows it by now", async () => {
  for (const [reply, effects] of answers) {
    let decision = Approval.ask()
    const { done, resume, waiting } = await graphOf([{ name: "pay", args: { amount: 20 } }], () => decision)
    decision = Approval.allow
    await resume(give(reply))
    expect(await waiting()).toEqual([])
    expect(done).toEqual(effects)
  }
})

it("asks LangGraph about no call that its rule allows, where another call of its id was denied", async () => {
  const { done, run } = await open(({ parameters }) =>
    Json.isObject(parameters) && parameters["amount"] === 20 ? Approval.ask() : Approval.allow
  )
  const said: Array<Waiting> = []
  const ask = (waiting: Waiting) => {
    said.push(waiting)
    return give({ deny: "no" })(waiting)
  }
  const tools = await Effect.runPromise(LangChain.fromRun(run, { ask }))
  const call = (amount: number) => ({ type: "tool_call" as const, id: "call_0", name: "pay", args: { amount } })
  for (const amount of [20, 2]) await tools.find(({ name }) => name === "pay")?.invoke(call(amount))
  expect(said.length).toBe(1)
  expect(done).toEqual(["pay 2"])
})

/** As Mastra and Genkit call the tool: with what it was resumed with, whatever it asks. */
const resumable = {
  Mastra: async (run: Awaited<ReturnType<typeof open>>["run"], resumeData: unknown, name = "book", args = {}) => {
    const { [name]: tool } = await Effect.runPromise(Mastra.fromRun(run))
    let asked: unknown
    const suspend = async (payload: unknown) => void (asked = payload)
    const value = await tool
      ?.execute(args, { agent: { toolCallId: "call_0", resumeData, suspend } })
      .catch((error: Error) => error.message)
    return { asked, value }
  },
  Genkit: async (run: Awaited<ReturnType<typeof open>>["run"], resumed: unknown, name = "book", args = {}) => {
    type Execute = Parameters<Parameters<typeof Genkit.fromRun>[0]["dynamicTool"]>[1]
    const made = new Map<string, Execute>()
    const dynamicTool = ({ name }: { readonly name: string }, execute: Execute) => (
      made.set(name, execute),
      { __action: {} }
    )
    await Effect.runPromise(Genkit.fromRun({ dynamicTool }, run))
    let asked: unknown
    const interrupt = ({ waiting }: Record<string, unknown>) => {
      asked = waiting
      throw new Error("interrupted")
    }
    const value = await made
      .get(name)?.(args, { toolRequest: { ref: "call_0" }, resumed, interrupt })
      .catch(() => undefined)
    return { asked, value }
  }
}

it.each(["Mastra", "Genkit"] as const)(
  "asks a person of %s each question of a call, with its own answer",
  async (host) => {
    const { done, run } = await open()
    let { asked, value } = await resumable[host](run, undefined)
    const kinds: Array<unknown> = []
    for (const reply of ["approve", { input: "aisle" }, { input: "bag" }] as const) {
      // It is a `Waiting`, as it was given out.
      const { id, waitsFor } = asked as Waiting
      kinds.push(waitsFor)
      expect(done).toEqual([])
      ;({ asked, value } = await resumable[host](run, { id, reply }))
    }
    expect(kinds).toEqual(["approval", "input", "input"])
    expect(value).toBe("booked 1")
    expect(done).toEqual(["aisle,bag"])
  }
)

it.each(["Mastra", "Genkit"] as const)(
  "what a person of %s has denied or changed holds, where the rule allows the call by now",
  async (host) => {
    for (const [reply, effects] of answers) {
      let decision = Approval.ask()
      const { done, run } = await open(() => decision)
      const { asked } = await resumable[host](run, undefined, "pay", { amount: 20 })
      decision = Approval.allow
      // It is a `Waiting`, as it was given out.
      const answer = { id: (asked as Waiting).id, reply }
      for (let times = 0; times < 2; times++) await resumable[host](run, answer, "pay", { amount: 20 })
      expect(done).toEqual(effects)
    }
  }
)

it.each([[[false]], [[true, false]]])(
  "what a person of the AI SDK answered by %j is not run, where the rule allows the call by now",
  async (answers) => {
    let decision = Approval.ask()
    const { done, run } = await open(() => decision)
    const { toolApproval, tools } = await Effect.runPromise(AiSdk.fromRun(run))
    const toolCallId = "call_0"
    expect(await toolApproval["pay"]?.({ amount: 20 }, { toolCallId })).toMatchObject({ type: "user-approval" })
    decision = Approval.allow
    const messages = [
      { role: "assistant", content: [{ type: "tool-approval-request", approvalId: "a", toolCallId }] },
      {
        role: "tool",
        content: answers.map((approved) => ({ type: "tool-approval-response", approvalId: "a", approved }))
      }
    ]
    // The options of another version of the SDK.
    const called = tools["pay"]?.execute?.({ amount: 20 }, { toolCallId, messages, context: undefined } as never)
    await expect(called).rejects.toThrow("needs a person's approval")
    expect(done).toEqual([])
  }
)

it("what a person of OpenAI Agents rejected is not run, where the rule allows the call by now", async () => {
  let decision = Approval.ask()
  const { done, run } = await open(() => decision)
  const { tools } = await Effect.runPromise(OpenAiAgents.fromRun(run))
  const pay = tools.find(({ name }) => name === "pay")
  let said: boolean | undefined
  const context = { context: {}, isToolApproved: () => said }
  expect(await pay?.needsApproval(context, { amount: 20 }, "call_0")).toBe(true)
  decision = Approval.allow
  said = false
  expect(await pay?.needsApproval(context, { amount: 20 }, "call_0")).toBe(true)
  const text = await pay?.invoke(context, '{"amount":20}', { toolCall: { callId: "call_0" } })
  expect(text).toContain("needs a person's approval")
  expect(done).toEqual([])
  said = true
  await pay?.invoke(context, '{"amount":20}', { toolCall: { callId: "call_0" } })
  expect(done).toEqual(["pay 20"])
})
