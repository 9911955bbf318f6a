/** Agents in types and effects of Effect 4. Inside, types are erased; the agent's own type has them. */
import {
  Agent as Agent3,
  type AgentEvent as AgentEvent3,
  type AgentResult as AgentResult3,
  type DeferredCall as DeferredCall3,
  Effect as Effect3,
  Json as Json3,
  ParseResult as ParseResult3,
  Schema as Schema3,
  type Stop as Stop3,
  type Toolset as Toolset3
} from "@wield/effect3"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Stream from "effect/Stream"
import type { Agent, AgentEvent, AgentResult, Changes, Config, Input, RunError, SubAgentFailed } from "../Agent.js"
import type { AnswerError, Tagged, ToolsetError } from "../Errors.js"
import type { Response } from "../Response.js"
import { conversationFrom3, conversationTo3 } from "./conversations.js"
import { type AgentTool, jsonSchemaOf } from "./effectAi.js"
import { into3 } from "./into3.js"
import { modelFrom3, modelTo3 } from "./models.js"
import { outcomeFrom3 } from "./outcomes.js"
import { policyTo3, signingTo3 } from "./policies.js"
import { into4, streamInto4 } from "./seam.js"
import { stopTo3, windowTo3 } from "./stops.js"
import { makeToolset, partsOf } from "./toolsets.js"

type Erased = Agent3.Agent<Toolset3.DynamicTools, unknown, never, unknown>

const agents = new WeakMap<Agent<unknown, unknown, unknown>, Erased>()

export const makeAgent = <Tools, R, Output, R2, R3, R4>(
  config: Config<Tools, R, Output, R2, R3, R4>
): Effect.Effect<Agent<Tools, Output, R | R2 | R3 | R4>, ToolsetError | Tagged<"InvalidAgent">> =>
  into4(
    Effect3.gen(function* () {
      // It says what is wrong with anything else.
      if (!Json3.isPlain(config)) return (yield* Agent3.make(config as never)) as never
      const {
        answer,
        instructions,
        model,
        output,
        policy = {},
        prepare,
        signing,
        stop,
        toolset,
        window,
        ...rest
      } = config
      const parts = toolset === undefined ? undefined : partsOf(toolset)
      const agent = yield* Agent3.make({
        ...rest,
        model: modelTo3(model),
        toolset: parts?.toolset,
        policy: yield* policyTo3(policy, parts?.rules ?? new Map()),
        instructions: Effect.isEffect(instructions) ? into3(instructions) : instructions,
        // The agent looks whether its tools are there.
        stop: stop === undefined ? undefined : (stopTo3(stop) as Stop3.Stop<never>),
        prepare:
          typeof prepare === "function"
            ? (step: Agent3.Step) => prepared(prepare({ ...step, model: modelFrom3(step.model) }))
            : prepare,
        window: window === undefined ? undefined : windowTo3(window),
        // The agent refuses all but schemas.
        output: Schema.isSchema(output) ? schemaTo3(output) : output,
        answer:
          typeof answer === "function" ? (request: DeferredCall3.DeferredCall) => answered(answer(request)) : answer,
        // Effect 3's agent looks at all of it.
        signing: signingTo3(signing, config) as never
      })
      // The mark exists in the type only.
      const own = { name: agent.name } as unknown as Agent<Tools, Output, R | R2 | R3 | R4>
      // Of erased tools.
      agents.set(own, agent as Erased)
      return own
    })
    // A toolset of this package fails with names that collide.
  ) as Effect.Effect<Agent<Tools, Output, R | R2 | R3 | R4>, ToolsetError | Tagged<"InvalidAgent">>

/** The agent looks at whether it is an effect. */
const prepared = <R>(changes: Effect.Effect<Changes, never, R>) =>
  Effect.isEffect(changes) ? Effect3.map(into3(changes), changesTo3) : changes

/** Names of tools are those of the agent's own, whose types are erased. The run refuses all but objects. */
const changesTo3 = (changes: Changes) =>
  (changes?.model === undefined ? changes : { ...changes, model: modelTo3(changes.model) }) as Agent3.Changes<{}>

export const agentToolset = <const Name extends string, Tools, Output, R>(
  agent: Agent<Tools, Output, R>,
  options: { readonly name: Name; readonly description: string; readonly task?: string | undefined }
) =>
  Effect.map(into4(Agent3.toToolset(agentOf(agent), options)), (toolset) =>
    makeToolset<{ readonly [K in Name]: AgentTool<K, Output, SubAgentFailed> }, R>(
      // Of erased tools.
      toolset as unknown as Parameters<typeof makeToolset>[0],
      new Map()
    )
  )

/** The agent looks at whether it answers. */
const answered = <R>(answer: Effect.Effect<Response | undefined, never, R>) =>
  (Effect.isEffect(answer) ? into3(answer) : answer) as Effect3.Effect<DeferredCall3.Answer["response"] | undefined>

/** A schema of Effect 4 that Effect 3 decodes and encodes by, and of which it knows the JSON Schema. */
const schemaTo3 = <A>(schema: Schema.Codec<A, unknown>): Schema3.Schema<A, unknown> => {
  const format = SchemaIssue.makeFormatterDefault()
  const convert =
    (by: (value: unknown) => Effect.Effect<unknown, Schema.SchemaError>) =>
    (value: unknown, _: unknown, ast: ParseResult3.Type["ast"]) =>
      Effect3.mapError(into3(by(value)), ({ issue }) => new ParseResult3.Type(ast, value, format(issue)))
  const decode = Schema.decodeUnknownEffect(schema)
  const encode = Schema.encodeUnknownEffect(schema)
  const encoded = Schema3.Unknown.annotations({ jsonSchema: { ...jsonSchemaOf(schema) } })
  return Schema3.transformOrFail(encoded, Schema3.Unknown, {
    strict: true,
    decode: convert(decode),
    encode: convert(encode)
    // It decodes by a schema of `A`.
  }) as unknown as Schema3.Schema<A, unknown>
}

type Given<Tools, CE> = Input<Tools, CE> | string

const inputOf = <Tools, CE>(given: Given<Tools, CE>): Agent3.Input<{}, unknown> => {
  if (typeof given === "string") return { prompt: given }
  // The run refuses anything else.
  if (!Json3.isPlain(given)) return given as Agent3.Input<{}, unknown>
  const { conversation, inbox, ...rest } = given
  // What answers name was given out as it is.
  return {
    ...rest,
    inbox: Effect.isEffect(inbox) ? into3(inbox) : inbox,
    conversation: conversation === undefined ? undefined : conversationTo3(conversation)
  } as Agent3.Input<{}, unknown>
}

const agentOf = (agent: Agent<unknown, unknown, unknown>): Agent3.Agent<{}, unknown> => {
  const own = agents.get(agent)
  if (own === undefined) throw new TypeError("It is no agent of @wield/effect4/Agent")
  // Of erased tools, which need no context by their types.
  return own as unknown as Agent3.Agent<{}, unknown>
}

export const runAgent = <Tools, Output, R, CE>(
  agent: Agent<Tools, Output, R>,
  given: Given<Tools, CE>
): Effect.Effect<AgentResult<Output, CE>, RunError<Tools, CE>, R> =>
  Effect.suspend(() => {
    const result = into4(Agent3.run(agentOf(agent), inputOf(given)))
    return Effect.map(result, resultFrom3)
    // Which tools, which output and which requirements: the agent's own type says it.
  }) as unknown as Effect.Effect<AgentResult<Output, CE>, RunError<Tools, CE>, R>

export const checkAgent = <Tools, Output, R, CE>(
  agent: Agent<Tools, Output, R>,
  given: Input<{}, CE>
): Effect.Effect<void, AnswerError | CE, R> =>
  Effect.suspend(() => {
    // Of a conversation and of answers, which are there.
    const input = inputOf(given) as Parameters<typeof Agent3.check<{}, unknown, never, never, unknown>>[1]
    return into4(Agent3.check(agentOf(agent), input))
    // As above.
  }) as unknown as Effect.Effect<void, AnswerError | CE, R>

export const streamAgent = <Tools, Output, R, CE>(
  agent: Agent<Tools, Output, R>,
  given: Given<Tools, CE>
): Stream.Stream<AgentEvent<Tools, Output, CE>, RunError<Tools, CE>, R> =>
  // As above.
  Stream.suspend(() =>
    Stream.map(streamInto4(Agent3.stream(agentOf(agent), inputOf(given))), eventFrom3)
  ) as unknown as Stream.Stream<AgentEvent<Tools, Output, CE>, RunError<Tools, CE>, R>

const resultFrom3 = (result: AgentResult3.AgentResult<unknown, unknown>): AgentResult<unknown, unknown> => ({
  ...result,
  conversation: conversationFrom3(result.conversation)
})

const eventFrom3 = (event: AgentEvent3.AgentEvent<{}, unknown, unknown>): object => {
  switch (event._tag) {
    case "CallFinished":
      return { ...event, outcome: outcomeFrom3(event.outcome) }
    case "TurnFinished":
      return { _tag: event._tag, step: event.step, entry: event.entry }
    case "Done":
      return { ...event, result: resultFrom3(event.result) }
    default:
      return event
  }
}
