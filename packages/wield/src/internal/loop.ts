/** The agent that options describe, with its model, as `@wield/agent` has them. */
import type { StandardSchemaV1 } from "@standard-schema/spec"
import * as Agents from "@wield/agent/Agent"
import * as ContextWindow from "@wield/agent/ContextWindow"
import * as Fallback from "@wield/agent/Fallback"
import * as Model from "@wield/agent/Model"
import * as Stop from "@wield/agent/Stop"
import type { Policy, Toolset } from "@wield/core"
import * as CallContext from "@wield/core/CallContext"
import * as Issue from "@wield/core/Issue"
import { fromLanguageModel } from "@wield/interop/ai-sdk-model"
import { responseOf } from "@wield/interop/approval"
import { issueOf, readJsonSchema, validate } from "@wield/interop/standard"
import * as SchemaTree from "@wield/core/SchemaTree"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { AgentOptions, AnyModel, SearchOptions } from "../agent.js"
import { checkModel } from "./checkAgent.js"
import { checkNames } from "./checkNames.js"
import { toOneServer } from "./client.js"
import { formatOf } from "./formats.js"

type AnyToolset = Toolset.Toolset<Toolset.DynamicTools, never, unknown>

export const { check, run, stream, toToolset } = Agents

export const agentOf = <Output>(toolset: AnyToolset, policy: Policy.Policy, options: AgentOptions<Output>) =>
  Effect.gen(function* () {
    const {
      answer,
      chat: _,
      fallbacks,
      instructions,
      model,
      output,
      prepare,
      search,
      signing,
      steps,
      stop,
      window,
      ...rest
    } = options
    const own = yield* withFallbacks(model, fallbacks)
    return yield* Agents.make({
      ...rest,
      toolset,
      policy,
      model: own,
      instructions:
        typeof instructions === "function"
          ? Effect.flatMap(CallContext.CallContext, (context) =>
              Effect.promise(async (signal) => instructions(context, { signal }))
            )
          : instructions,
      prepare:
        prepare === undefined
          ? undefined
          : ({ entries, instructions, number, usage }) =>
              Effect.gen(function* () {
                const context = yield* CallContext.CallContext
                const changes = yield* Effect.promise(async (signal) =>
                  prepare({ number, instructions, entries, usage, context, signal })
                )
                const { model: other, ...others } = changes ?? {}
                checkNames("What `prepare` gives", changes, ["model", "instructions", "offered", "options", "settings"])
                if (other === undefined) return others
                checkModel("`model` of what `prepare` gives", other)
                return { ...others, model: yield* modelOf(other) }
              }),
      search: search === undefined ? undefined : searchOf(search),
      stop: stopOf(steps === undefined ? 20 : steps, stop),
      output: output === undefined ? undefined : yield* schemaOf(output),
      window: window === undefined ? undefined : yield* windowOf(window, own),
      signing: signingOf(signing),
      answer:
        answer === undefined
          ? undefined
          : (request) =>
              Effect.map(
                Effect.promise(async (signal) => answer(request, { signal })),
                (reply) => (reply === undefined ? undefined : responseOf(reply))
              )
    })
  })

const searchOf = ({ embed, ...rest }: SearchOptions) => ({
  ...rest,
  ...(embed === undefined
    ? {}
    : {
        embedder: {
          embed: (texts: ReadonlyArray<string>) => Effect.tryPromise(async (signal) => embed(texts, { signal }))
        }
      })
})

const stopOf = (steps: number, { call, cost, time, tokens, when }: NonNullable<AgentOptions<never>["stop"]> = {}) => {
  const others: ReadonlyArray<Stop.Stop> = [
    ...(tokens === undefined ? [] : [Stop.tokens(tokens)]),
    ...(cost === undefined ? [] : [Stop.cost(cost.limit, cost.prices, { other: cost.other })]),
    ...(time === undefined ? [] : [Stop.time(time)]),
    ...(call === undefined ? [] : [Stop.call(call)]),
    ...(when === undefined ? [] : [Stop.when("when", whenOf(when))])
  ]
  return others.length === 0 ? Stop.steps(steps) : Stop.any(Stop.steps(steps), ...others)
}

const whenOf = (when: NonNullable<NonNullable<AgentOptions<never>["stop"]>["when"]>) => (state: Stop.State) => {
  const isReached = when(state)
  return Predicate.isPromiseLike(isReached) ? Effect.promise(async () => isReached) : isReached
}

const signingOf = (signing: AgentOptions<never>["signing"]) => {
  if (signing === undefined) return undefined
  const { secrets, timeToLive } = typeof signing === "string" ? { secrets: signing } : signing
  const [first, ...others] = typeof secrets === "string" ? [secrets] : secrets
  // `checkOptions` has seen that there is one.
  const all = [Redacted.make(first!), ...others.map((secret) => Redacted.make(secret))] as const
  return { secrets: all, timeToLive }
}

const windowOf = ({ overflow, ...options }: NonNullable<AgentOptions<never>["window"]>, own: Model.Model) =>
  Effect.gen(function* () {
    if (overflow === undefined || overflow === "drop") return ContextWindow.make(options)
    const { model, ...summary } = overflow
    const summariser = model === undefined ? own : yield* modelOf(model)
    return ContextWindow.make({ ...options, overflow: ContextWindow.summarise(summariser, summary) })
  })

const withFallbacks = (model: AnyModel, fallbacks: ReadonlyArray<AnyModel> = []): Effect.Effect<Model.Model> =>
  fallbacks.length === 0
    ? modelOf(model)
    : Effect.zipWith(modelOf(model), Effect.forEach(fallbacks, modelOf), (own, behind) =>
        Fallback.make([own, ...behind])
      )

const modelOf = (model: AnyModel): Effect.Effect<Model.Model> => {
  if (Effect.isEffect(model)) return model
  if ("doStream" in model) return Effect.succeed(fromLanguageModel(model))
  // One that is made has a format: `AnyModel` leaves it out.
  if ("stream" in model) return Effect.succeed(model as Model.Model)
  const { format, headers = {}, key, ...options } = model
  const made = Effect.flatMap(formatOf(format), (wire) =>
    Model.fromWire(wire, {
      ...options,
      key: key === undefined ? undefined : Redacted.make(key),
      headers: Record.map(headers, (value) => Redacted.make(value))
    })
  )
  return Effect.provide(made, toOneServer)
}

/** A schema of Standard Schema as one of Effect. */
const schemaOf = <Output>(schema: StandardSchemaV1<unknown, Output>) =>
  Effect.map(readJsonSchema("the final output", "output", schema), (jsonSchema) =>
    Schema.transformOrFail(Schema.Unknown.annotations({ jsonSchema }), Schema.Unknown as Schema.Schema<Output>, {
      strict: false,
      decode: (value, _, ast) =>
        Effect.flatMap(validate(schema, value), (result) =>
          result.issues === undefined
            ? Effect.succeed(result.value)
            : SchemaTree.refuse(ast, value, result.issues.map((issue) => Issue.toText(issueOf(issue))).join("; "))
        ),
      encode: Effect.succeed
    })
  )
