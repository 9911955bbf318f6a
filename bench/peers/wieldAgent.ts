/** Wield's loop over a model that gives scripted events. */
import * as Toolkit from "@effect/ai/Toolkit"
import { Agent, type AgentResult, type Conversation, type Model } from "@wield/agent"
import { Guard, type Policy, ToolCall, ToolResult, Toolset, Turn, type TurnEvent } from "@wield/core"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import {
  type Gate,
  type MakeLoop,
  outcomeOf,
  prompt,
  type ScriptedTurn,
  scriptOf,
  type Shape
} from "../task/conversation.js"
import { FindOrders } from "../task/effectSchema.js"
import { small, toolName } from "../task/orders.js"
import { RecordingTracer } from "./recordingTracer.js"

const eventsOf = (turn: ScriptedTurn, number: number): ReadonlyArray<TurnEvent.TurnEvent> => {
  const usage: Turn.Usage = { ...Turn.unknownUsage, input: 100, output: 10 }
  const parts: ReadonlyArray<Turn.Part> = [
    ...(turn.text === "" ? [] : [{ _tag: "Text", text: turn.text } as const]),
    ...turn.calls.map((call): Turn.CallPart => ({
      _tag: "Call",
      call: ToolCall.make(call.id, call.name, call.arguments),
      executedBy: "application",
      nativeName: call.name,
      nativeId: call.id
    }))
  ]
  const calls = parts.filter((part) => part._tag === "Call")
  return [
    ...turn.pieces.map((text) => ({ _tag: "TextDelta", text }) as const),
    ...turn.calls.flatMap((call, index): ReadonlyArray<TurnEvent.TurnEvent> => [
      { _tag: "CallStarted", index, id: call.id, name: call.name },
      ...call.pieces.map((text) => ({ _tag: "ArgumentsDelta", index, text }) as const),
      ...calls.slice(index, index + 1).map((part) => ({ _tag: "CallComplete", index, part }) as const)
    ]),
    { _tag: "UsageKnown", usage },
    {
      _tag: "Finished",
      turn: {
        format: "scripted",
        id: `turn_${number}`,
        model: "scripted",
        parts,
        usage,
        finish: calls.length === 0 ? "stop" : "calls",
        nativeFinish: undefined,
        native: [
          { role: "assistant", content: turn.text, calls: turn.calls.map(({ arguments: text, id }) => ({ id, text })) }
        ],
        isComplete: true
      }
    }
  ]
}

/** Gives one event at a time. */
const streamOf = (events: ReadonlyArray<TurnEvent.TurnEvent>): Stream.Stream<TurnEvent.TurnEvent> => {
  const chunks = events.map((event) => Chunk.of(event))
  // `Stream.fromChunks` takes three times as long for each of them.
  return Stream.unfoldChunk(0, (index) => Option.map(Option.fromNullable(chunks[index]), (chunk) => [chunk, index + 1]))
}

const modelOf = (shape: Shape, gate: Gate | undefined): Model.Model => {
  const turns = scriptOf(shape).map((turn, index) => streamOf(eventsOf(turn, index)))
  const gated = gate === undefined ? undefined : Effect.promise(gate)
  return {
    id: "scripted",
    format: "scripted",
    stream: ({ messages }) => {
      const number = messages.filter(({ _tag }) => _tag === "Assistant").length
      const turn = turns[number]
      if (turn === undefined) return Stream.dieMessage("the script is over")
      return gated !== undefined && number === turns.length - 1 ? Stream.unwrap(Effect.as(gated, turn)) : turn
    }
  }
}

const kit = Toolkit.make(FindOrders)

const agentOf = (shape: Shape, gate: Gate | undefined, policy: Policy.Policy = {}) =>
  Effect.runSync(
    Effect.scoped(
      Effect.flatMap(
        Toolset.fromLayer(kit, kit.toLayer({ [toolName]: (given) => Effect.succeed(small.handle(given)) })),
        (toolset) => Agent.make({ model: modelOf(shape, gate), toolset, policy })
      )
    )
  )

const outcome = (result: AgentResult.AgentResult): string => {
  if (result._tag !== "Finished") throw new Error(`the run ended as ${result._tag}`)
  return outcomeOf(result.output, result.entries.flatMap(resultsOf))
}

const resultsOf = ({ message }: Conversation.Entry): ReadonlyArray<string> =>
  message._tag === "Results" ? message.results.map(ToolResult.toText) : []

export const wieldRun = "Wield: Agent.run"

export const wieldRunLoop: MakeLoop = (shape, gate) => {
  const agent = agentOf(shape, gate)
  return { name: wieldRun, converse: async () => outcome(await Effect.runPromise(Agent.run(agent, prompt))) }
}

/** The same with a tracer that records each span. */
export const wieldTracedLoop: MakeLoop = (shape, gate) => {
  const agent = agentOf(shape, gate)
  const tracer = new RecordingTracer()
  return {
    name: "Wield: Agent.run, traced",
    converse: async () => outcome(await Effect.runPromise(Effect.withTracer(Agent.run(agent, prompt), tracer)))
  }
}

/** The same with everything switched on that a service asks for, and nothing in it. */
export const wieldIdleLoop: MakeLoop = (shape, gate) => {
  const agent = agentOf(shape, gate, { guards: [], quotas: [], approval: {}, limits: {} })
  return {
    name: "Wield: Agent.run, empty guards, quotas, rules and limits",
    converse: async () => outcome(await Effect.runPromise(Agent.run(agent, prompt)))
  }
}

/** The same with a guard on results and a quota of calls. */
export const wieldGuardedLoop: MakeLoop = (shape, gate) => {
  const agent = agentOf(shape, gate, {
    guards: [{ name: "none", on: ["result"], check: () => Guard.pass }],
    quotas: [{ name: "all", by: () => "all", window: "1 day", calls: Number.MAX_SAFE_INTEGER }]
  })
  return {
    name: "Wield: Agent.run, a guard and a quota",
    converse: async () => outcome(await Effect.runPromise(Agent.run(agent, prompt)))
  }
}

export const wieldStream = "Wield: Agent.stream"

export const wieldStreamLoop: MakeLoop = (shape, gate) => {
  const agent = agentOf(shape, gate)
  return {
    name: wieldStream,
    converse: async () => {
      let last = ""
      const read = Stream.runForEach(Agent.stream(agent, prompt), (event) =>
        Effect.sync(() => {
          if (event._tag === "Done") last = outcome(event.result)
        })
      )
      await Effect.runPromise(read)
      return last
    }
  }
}
