/** The agent that options describe, with its model, as `@wield/agent` has them. */
import type { StandardSchemaV1 } from "@standard-schema/spec"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Agents from "@wield/agent/Agent"
import * as Model from "@wield/agent/Model"
import * as Stop from "@wield/agent/Stop"
import type { Policy, Toolset } from "@wield/core"
import * as CallContext from "@wield/core/CallContext"
import * as Issue from "@wield/core/Issue"
import { fromLanguageModel } from "@wield/interop/ai-sdk-model"
import { responseOf } from "@wield/interop/approval"
import { issueOf, readJsonSchema, validate } from "@wield/interop/standard"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { AgentOptions } from "../agent.js"
import { formatOf } from "./formats.js"

export const { stream } = Agents

export const agentOf = <Output>(
  toolset: Toolset.Toolset<Toolset.DynamicTools, never, unknown>,
  policy: Policy.Policy,
  { answer, instructions, model, more, output, settings, steps }: AgentOptions<Output>
) =>
  Effect.gen(function* () {
    return yield* Agents.make({
      ...more,
      toolset,
      policy,
      settings,
      model: yield* modelOf(model),
      instructions:
        typeof instructions === "function"
          ? Effect.flatMap(CallContext.CallContext, (context) => Effect.promise(async () => instructions(context)))
          : instructions,
      stop: more?.stop ?? (steps === undefined ? undefined : Stop.steps(steps)),
      output: output === undefined ? undefined : yield* schemaOf(output),
      answer:
        answer === undefined
          ? undefined
          : (request) =>
              Effect.map(
                Effect.promise(async () => answer(request)),
                (reply) => (reply === undefined ? undefined : responseOf(reply))
              )
    })
  })

const modelOf = (model: AgentOptions<unknown>["model"]) => {
  if (Effect.isEffect(model)) return model
  // A program without types may give anything.
  const given: unknown = model
  if (typeof given !== "object" || given === null) {
    throw new TypeError(
      `\`model\` is ${Issue.show(given)}: give { format: "anthropic", model: "…", key }, or a model of the AI SDK`
    )
  }
  if ("doStream" in model) return Effect.succeed(fromLanguageModel(model))
  if ("stream" in model) return Effect.succeed(model)
  const { format, headers = {}, key, ...options } = model
  const made = Effect.flatMap(formatOf(format), (wire) =>
    Model.fromWire(wire, {
      ...options,
      key: key === undefined ? undefined : Redacted.make(key),
      headers: Record.map(headers, (value) => Redacted.make(value))
    })
  )
  return Effect.provide(made, FetchHttpClient.layer)
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
            : ParseResult.fail(
                new ParseResult.Type(ast, value, result.issues.map((issue) => Issue.toText(issueOf(issue))).join("; "))
              )
        ),
      encode: Effect.succeed
    })
  )
