/** Tools: what they are, how a provider gets them, and calls by hand. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as CoreOutcome from "@wield/core/Outcome"
import * as Schema from "effect/Schema"
import { Failed, JsonRecord, JsonValue, name, NotFound, optional, Path, ReadOnly } from "./parts.js"

export const Facts = Schema.Struct({
  kind: Schema.Literal("local", "api", "client", "provider"),
  title: optional(Schema.String),
  isReadOnly: Schema.Boolean,
  isDestructive: Schema.Boolean,
  isIdempotent: Schema.Boolean,
  isOpenWorld: Schema.Boolean,
  disclosure: Schema.Literal("none", "endpoint", "any"),
  isSequential: Schema.Boolean,
  /** Arguments that show how the tool is meant to be called. */
  examples: Schema.Array(JsonValue)
})

/**
 * What is known of a tool beside its schema.
 *
 * @category models
 */
export interface Facts extends Schema.Schema.Type<typeof Facts> {}

const Tool = Schema.Struct({
  name: Schema.String,
  description: optional(Schema.String),
  /** The file, server or module it comes from. */
  source: optional(Schema.String),
  facts: Facts,
  /** Names of the parameters a model sees. */
  parameters: Schema.Array(Schema.String),
  /** An estimate of what the definition takes of a prompt. */
  tokens: Schema.Number,
  /** Whether the conversation's next turn offers it. */
  isOffered: Schema.Boolean,
  /** Why it is not on offer. */
  notOffered: optional(
    Schema.Struct({
      reason: Schema.String,
      /** Toolsets that would offer it. */
      toolsets: Schema.Array(Schema.String)
    })
  )
})

/**
 * A tool in the list.
 *
 * @category models
 */
export interface Tool extends Schema.Schema.Type<typeof Tool> {}

const Loss = Schema.Struct({ subject: Schema.String, path: Path, keyword: Schema.String, reason: Schema.String })

const Wire = Schema.Struct({
  format: Schema.String,
  title: Schema.String,
  /** The part of the request body that has the tool. */
  body: JsonValue,
  losses: Schema.Array(Loss),
  /** An estimate of what this JSON takes of a prompt. */
  tokens: Schema.Number
})

/**
 * A tool as one provider gets it.
 *
 * @category models
 */
export interface Wire extends Schema.Schema.Type<typeof Wire> {}

const Limits = Schema.Struct({
  timeout: optional(Schema.Number.annotations({ description: "Milliseconds" })),
  isRetried: Schema.Boolean,
  concurrency: optional(Schema.Number),
  rate: optional(Schema.Struct({ calls: Schema.Number, window: Schema.Number })),
  cache: optional(Schema.Number.annotations({ description: "Milliseconds that a success is kept" }))
})

const ToolDetail = Schema.Struct({
  ...Tool.fields,
  inputSchema: JsonRecord,
  outputSchema: optional(JsonRecord),
  /** Names of fields that the call context supplies; never their values. */
  hidden: Schema.Array(Schema.String),
  fingerprint: Schema.String,
  policy: Schema.Struct({
    /** Whether a rule decides on the tool's calls. */
    hasApprovalRule: Schema.Boolean,
    limits: Limits,
    /** Bytes; larger results are cut. */
    resultBound: optional(Schema.Number)
  }),
  wires: Schema.Array(Wire)
})

/**
 * Everything about one tool.
 *
 * @category models
 */
export interface ToolDetail extends Schema.Schema.Type<typeof ToolDetail> {}

const CallRequest = Schema.Struct({
  /** An object, or the text that a model would send: text is parsed and repaired as a model's. */
  arguments: JsonValue,
  /** Whose active toolset decides on what is offered; all tools unless given. */
  conversation: optional(Schema.String)
})

/**
 * A call by hand. Hidden fields come from the program, never from here.
 *
 * @category models
 */
export interface CallRequest extends Schema.Schema.Type<typeof CallRequest> {}

export const Call = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  /** As the model sent them, text or JSON. Absent where arguments are not recorded. */
  arguments: optional(JsonValue)
})

/**
 * A call as a model sent it.
 *
 * @category models
 */
export interface Call extends Schema.Schema.Type<typeof Call> {}

/**
 * How a call ended.
 *
 * @category models
 */
export interface Outcome extends Schema.Schema.Type<typeof CoreOutcome.Json> {}

const Previewed = Schema.Union(
  Schema.Struct({ _tag: Schema.Literal("Allow") }),
  Schema.Struct({ _tag: Schema.Literal("Ended"), outcome: CoreOutcome.Json })
)

/**
 * What a call would come to: it would run (`Allow`), or it would end before that.
 *
 * @category models
 */
export type Previewed = typeof Previewed.Type

const Called = Schema.Struct({
  run: Schema.String,
  outcome: CoreOutcome.Json,
  milliseconds: Schema.Number,
  /** Of a call that waits: where to answer it. */
  approval: optional(Schema.String)
})

/**
 * How a call by hand ended, and the run that recorded it.
 *
 * @category models
 */
export interface Called extends Schema.Schema.Type<typeof Called> {}

export const tools = HttpApiGroup.make("tools")
  .add(
    HttpApiEndpoint.get("list", "/tools")
      .setUrlParams(
        Schema.Struct({
          conversation: optional(Schema.String),
          /** Only tools that fit these words, best first: at most 50. */
          search: optional(Schema.String)
        })
      )
      .addSuccess(Schema.Struct({ tools: Schema.Array(Tool) }))
  )
  .add(
    HttpApiEndpoint.get("get")`/tools/${name}`
      .setUrlParams(Schema.Struct({ conversation: optional(Schema.String) }))
      .addSuccess(ToolDetail)
      .addError(NotFound)
  )
  .add(
    // Runs nothing; allowed in a read-only studio.
    HttpApiEndpoint.post("preview")`/tools/${name}/preview`
      .setPayload(CallRequest)
      .addSuccess(Previewed)
      .addError(NotFound)
  )
  .add(
    HttpApiEndpoint.post("call")`/tools/${name}/call`
      .setPayload(CallRequest)
      .addSuccess(Called)
      .addError(NotFound)
      .addError(ReadOnly)
  )
  .addError(Failed)
