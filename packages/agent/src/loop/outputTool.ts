/** The final output by schema: a tool that the model has to call at the end, whose arguments are the output. */
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import type { Policy, ToolCall, ToolsetError } from "@wield/core"
import * as Approval from "@wield/core/Approval"
import * as Json from "@wield/core/Json"
import * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { FinalOutput } from "./plan.js"

interface OutputTool {
  readonly output: FinalOutput
  readonly toolset: Toolset.Toolset<Toolset.DynamicTools>
}

export const outputTool = (
  schema: Schema.Schema<unknown, unknown>,
  name: string,
  description: string
): Effect.Effect<OutputTool, ToolsetError> => {
  const fields = fieldsOf(schema)
  const parameters: Schema.Struct.Fields = fields ?? { answer: schema }
  const struct = Schema.Struct(parameters)
  const valueOf = (decoded: Readonly<Record<string, unknown>>): unknown =>
    fields === undefined ? decoded["answer"] : decoded
  const tool = Tool.make(name, { description, parameters, success: struct })
    .annotate(Tool.Readonly, true)
    .annotate(Tool.Destructive, false)
  const toolkit = Toolkit.make(tool)
  // What the model gave is what the tool answers: a journal can replay it.
  const handlers = toolkit.toLayer({ [name]: Effect.succeed } as never)
  // A schema of an output needs nothing, which `Struct.Fields` cannot say.
  const decoded = Schema.Union(struct, Schema.parseJson(struct)) as unknown as Schema.Schema<
    Readonly<Record<string, unknown>>
  >
  const decode = Schema.decodeUnknown(decoded)
  const toolset = Effect.provide(Toolset.fromToolkit(toolkit), handlers)
  return Effect.map(toolset, (made) => ({
    // Inside, types are erased.
    toolset: made as unknown as Toolset.Toolset<Toolset.DynamicTools>,
    output: {
      tool: name,
      // The tool answers with what it was given, decoded.
      valueOf: (result) => valueOf(result as Readonly<Record<string, unknown>>),
      read: (call: ToolCall.ToolCall) => Effect.option(Effect.map(decode(call.arguments), valueOf))
    }
  }))
}

/** A plain struct becomes the parameters themselves; anything else is a parameter `answer`. */
const fieldsOf = (schema: Schema.Schema<unknown, unknown>): Schema.Struct.Fields | undefined =>
  // A class has fields, too, but its values are more than those; so are a struct's that takes other keys beside.
  schema.ast._tag === "TypeLiteral" && schema.ast.indexSignatures.length === 0 && "fields" in schema
    ? (schema.fields as Schema.Struct.Fields)
    : undefined

/** The model may always answer. */
export const withoutApproval = (policy: Policy.Policy, tool: string): Policy.Policy => {
  const { approval } = policy
  if (Json.isPlain(approval)) return { ...policy, approval: { ...approval, [tool]: () => Approval.allow } }
  if (typeof approval !== "function") return policy
  // A function is a rule for all tools.
  const rule = approval as Approval.Rule
  return {
    ...policy,
    approval: (request: Approval.Request) => (request.name === tool ? Approval.allow : rule(request))
  }
}
