/** The tools of a toolkit of Effect 4 as tools of Wield: its own schemas decode and encode. */
import {
  Content as Content3,
  Effect as Effect3,
  type Issue as Issue3,
  Json as Json3,
  type Toolset as Toolset3,
  ToolsetError as ToolsetError3
} from "@wield/effect3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Approval from "../Approval.js"
import { CurrentCall } from "../CurrentCall.js"
import { Stated } from "../Facts.js"
import { HiddenFields } from "../Hidden.js"
import * as Ai from "./effectAi.js"
import { into3, handlerInto3 } from "./into3.js"
import { addCall } from "./toolsets.js"

type Tool = Toolset3.DynamicTool
type Issues = ReadonlyArray<Issue3.Issue>

interface Made {
  readonly tools: ReadonlyArray<Tool>
  readonly rules: ReadonlyMap<string, Approval.Rule>
}

export const toolsOfToolkit = (
  toolkit: Ai.AnyToolkit,
  services: Context.Context<never>
): Effect3.Effect<Made, ToolsetError3.InvalidTool> =>
  Effect3.gen(function* () {
    const tools: Array<Tool> = []
    const rules = new Map<string, Approval.Rule>()
    if (!Json3.isObject(toolkit?.tools)) throw new TypeError("It is no toolkit of effect/ai: Toolkit.make(…) makes one")
    for (const tool of Object.values(toolkit.tools)) {
      const parts = yield* Effect3.try({
        try: () => Ai.partsOf(tool, services),
        catch: (error) => invalid(tool.name, `it has no JSON Schema: ${error instanceof Error ? error.message : error}`)
      })
      const isForClient = Context.get(parts.annotations, Stated).kind === "client"
      if (parts.isExecutedByProvider) return yield* invalid(tool.name, "its provider executes it, and no handler does")
      if (parts.handler === undefined && !isForClient) {
        return yield* invalid(tool.name, "it has no handler; provide the Layer that toolkit.toLayer makes")
      }
      tools.push(toolOf(parts))
      if (parts.needsApproval !== undefined) rules.set(parts.name, ruleOf(parts.name, parts.needsApproval))
    }
    return { tools, rules }
  })

const invalid = (tool: string, reason: string): ToolsetError3.InvalidTool =>
  new ToolsetError3.InvalidTool({ tool, reason })

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const issuesOf = ({ issue }: Schema.SchemaError): Issues =>
  format(issue).issues.map(({ message, path = [] }) => ({
    path: path.map((part) => {
      const key = typeof part === "object" ? part.key : part
      return typeof key === "number" ? key : String(key)
    }),
    expected: "",
    received: undefined,
    message
  }))

type Conversion = (value: unknown) => Effect.Effect<unknown, Schema.SchemaError, unknown>

/** What the schema of a tool requires is in the type of the toolset. */
const convertBy =
  (convert: Conversion): ((value: unknown) => Effect3.Effect<unknown, () => Issues>) =>
  (value) =>
    into3(Effect.mapError(convert(value), (error) => () => issuesOf(error)))

const toolOf = (parts: Ai.ToolParts): Tool => {
  const { annotations, handler, name, parameters, toModelOutput } = parts
  const facts = {
    title: parts.title,
    isReadOnly: parts.isReadOnly,
    isDestructive: parts.isDestructive,
    isIdempotent: parts.isIdempotent,
    isOpenWorld: parts.isOpenWorld,
    ...Context.get(annotations, Stated)
    // Examples are JSON, which the types of either package say in other words.
  } as Toolset3.DynamicTool["facts"]
  const all = { errors: "all" } as const
  const decode = parameters === undefined ? undefined : Schema.decodeUnknownEffect(parameters, all)
  return {
    name,
    description: parts.description,
    // What compiles it says what is wrong with it.
    inputSchema: schemaOf(parts) as Tool["inputSchema"],
    // As above.
    outputSchema: parts.outputSchema as Tool["outputSchema"],
    hidden: Context.get(annotations, HiddenFields),
    facts,
    ...(decode === undefined
      ? {}
      : {
          validate: (values) =>
            // The root of its JSON Schema says that they are an object.
            into3(Effect.mapError(decode(values), issuesOf)) as Effect3.Effect<
              { readonly [name: string]: unknown },
              Issues
            >
        }),
    codec: {
      encodeSuccess: convertBy(Schema.encodeUnknownEffect(parts.success, all)),
      decodeSuccess: convertBy(Schema.decodeUnknownEffect(parts.success, all)),
      encodeFailure: convertBy(Schema.encodeUnknownEffect(parts.failure, all)),
      decodeFailure: convertBy(Schema.decodeUnknownEffect(parts.failure, all)),
      isRaising: parts.isRaising,
      content: toModelOutput === undefined ? undefined : (result) => toModelOutput(result).flatMap(contentOf)
    },
    execute: (values) =>
      handlerInto3(
        () =>
          handler === undefined
            ? Effect.die(new Error(`The tool ${name} has no handler`))
            : Effect.contextWith((given: Context.Context<never>) => {
                const { id, progress } = Context.get(given, CurrentCall)
                // The services of the request lie over those of the Layer.
                return Effect.provideContext(
                  Effect.mapError(handler.run(values, { toolCallId: id, preliminary: progress }), (error) =>
                    Ai.failureOf(error, name)
                  ),
                  Context.merge(handler.context, given)
                )
              }),
        addCall
      )
  }
}

/** A tool without parameters takes whatever a model likes to send to one. */
const schemaOf = ({ jsonSchema }: Ai.ToolParts): Readonly<Record<string, unknown>> | undefined => {
  const { additionalProperties, properties, type } = jsonSchema
  const isEmpty = type === "object" && additionalProperties === false && Object.keys(properties ?? {}).length === 0
  if (isEmpty) return undefined
  // Of other arguments, a struct says no more than that it ignores them: a policy, or an edit, may still know better.
  const { additionalProperties: others, ...stated } = jsonSchema
  return others === true ? stated : jsonSchema
}

const contentOf = (part: Ai.Prompt.ToolModelOutputPart): ReadonlyArray<Content3.Part> => {
  if (part.type === "text") return [Content3.text(part.text)]
  const { data, fileName, mediaType } = part
  if (data instanceof URL) {
    return [new Content3.File({ mediaType, source: { _tag: "Url", url: data.href }, filename: fileName })]
  }
  const base64 = typeof data === "string" ? data : Base64.encode(data)
  return [
    mediaType.startsWith("image/") ? Content3.image(mediaType, base64) : Content3.file(mediaType, base64, fileName)
  ]
}

/**
 * What a tool says of itself. Only `false` lets a call run; and where it looks
 * at the conversation, which a runner does not have, a person is asked.
 */
const ruleOf =
  (name: string, needsApproval: Ai.NeedsApproval): Approval.Rule =>
  ({ call, parameters }) =>
    Effect.suspend(() => {
      let hasLooked = false
      const answer = needsApproval(parameters, {
        toolCallId: call.id,
        get messages() {
          hasLooked = true
          return []
        }
      })
      // An effect of a tool of 4: what it requires, its tool requires.
      return Effect.map(Effect.isEffect(answer) ? (answer as Effect.Effect<unknown>) : Effect.succeed(answer), (asks) =>
        hasLooked
          ? Approval.ask(`needsApproval of ${name} looks at the conversation, which is not known here`)
          : asks === false
            ? Approval.allow
            : Approval.ask()
      )
    })
