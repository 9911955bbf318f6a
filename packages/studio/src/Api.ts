/**
 * The studio's HTTP API: what the page and other clients can ask, and what they
 * get. All of it is plain JSON. `GET /api/openapi.json` describes it too.
 *
 * A page imports types from here and nothing else: the schemas carry Effect. All
 * of it stands in one file, as in one document, part by part.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as AgentEvent from "@wield/agent/AgentEvent"
import * as CoreIssue from "@wield/core/Issue"
import * as CoreOutcome from "@wield/core/Outcome"
import * as Schema from "effect/Schema"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const JsonValue = Schema.Unknown.annotations({ description: "Any JSON value" })

const JsonRecord = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const WaitsFor = Schema.Literal("approval", "client", "input")

const Milliseconds = Schema.Number.annotations({ description: "Milliseconds since 1970" })

const Path = Schema.Array(Schema.Union(Schema.String, Schema.Number))

// Errors

/**
 * There is nothing of this name, id or part.
 *
 * @category errors
 */
export class NotFound extends Schema.TaggedError<NotFound>("@wield/studio/NotFound")(
  "NotFound",
  { message: Schema.String },
  HttpApiSchema.annotations({ status: 404 })
) {}

/**
 * The studio only shows: this request would change or run something.
 *
 * @category errors
 */
export class ReadOnly extends Schema.TaggedError<ReadOnly>("@wield/studio/ReadOnly")(
  "ReadOnly",
  { message: Schema.String },
  HttpApiSchema.annotations({ status: 403 })
) {}

/**
 * Something else is there by now: a name is taken, an approval was answered, has
 * expired or shows another digest, a session is busy.
 *
 * @category errors
 */
export class Conflict extends Schema.TaggedError<Conflict>("@wield/studio/Conflict")(
  "Conflict",
  { message: Schema.String },
  HttpApiSchema.annotations({ status: 409 })
) {}

/**
 * What is wrong at one place of the arguments.
 *
 * @category models
 */
export interface Issue extends Schema.Schema.Type<typeof CoreIssue.Json> {}

/**
 * What was sent is JSON of the right form, but cannot be taken.
 *
 * @category errors
 */
export class Refused extends Schema.TaggedError<Refused>("@wield/studio/Refused")(
  "Refused",
  {
    message: Schema.String,
    /** The fields to mend, where they are known. */
    issues: optional(Schema.Array(CoreIssue.Json))
  },
  HttpApiSchema.annotations({ status: 422 })
) {}

/**
 * A part of the program that the studio shows has failed: a store, a source of
 * tools.
 *
 * @category errors
 */
export class Failed extends Schema.TaggedError<Failed>("@wield/studio/Failed")(
  "Failed",
  { message: Schema.String },
  HttpApiSchema.annotations({ status: 502 })
) {}

// About

const About = Schema.Struct({
  wield: Schema.Literal(1),
  title: Schema.String,
  isReadOnly: Schema.Boolean,
  /** Which pages have something behind them. */
  parts: Schema.Struct({
    toolsets: Schema.Boolean,
    /** Whether conversations outlive the studio: a store was given. */
    store: Schema.Boolean,
    /** Whether the playground can use the agent's model. A scripted one can always be used. */
    agent: Schema.Boolean
  }),
  /** The model that the agent begins with. */
  model: optional(Schema.String),
  formats: Schema.Array(Schema.Struct({ name: Schema.String, title: Schema.String })),
  /** What is recorded beside metadata. */
  recording: Schema.Struct({ arguments: Schema.Boolean, results: Schema.Boolean, texts: Schema.Boolean }),
  /** Another one means that the studio has started again: sequence numbers begin at 1. */
  epoch: Schema.String
})

/**
 * What there is to see.
 *
 * @category models
 */
export interface About extends Schema.Schema.Type<typeof About> {}

const Problem = Schema.Struct({
  severity: Schema.Literal("error", "warning"),
  rule: Schema.String,
  message: Schema.String,
  file: Schema.String,
  place: optional(Schema.Struct({ line: Schema.Number, column: Schema.Number })),
  subject: optional(Schema.String)
})

/**
 * What is wrong with a source of tools or a file of toolsets.
 *
 * @category models
 */
export interface Problem extends Schema.Schema.Type<typeof Problem> {}

// Tools

const Facts = Schema.Struct({
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

const Call = Schema.Struct({
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

// Toolsets

const Counts = {
  /** The functions of the set, loaded or not. */
  functions: Schema.Array(Schema.String),
  enabled: Schema.Number,
  total: Schema.Number,
  missing: Schema.Array(Schema.String),
  status: Schema.Literal("ok", "partial", "empty")
}

const Toolset = Schema.Struct({
  ...Counts,
  name: Schema.String,
  type: Schema.Literal("built-in", "module", "user", "core"),
  /** What the file has beside the functions, such as `emoji`. */
  metadata: JsonRecord,
  isOverriding: Schema.Boolean
})

/**
 * A toolset in the list.
 *
 * @category models
 */
export interface Toolset extends Schema.Schema.Type<typeof Toolset> {}

const ToolsetFunction = Schema.Struct({
  name: Schema.String,
  isLoaded: Schema.Boolean,
  description: optional(Schema.String),
  module: optional(Schema.String)
})

const ToolsetPreview = Schema.Struct({
  ...Counts,
  /** Absent for functions given by name. */
  name: optional(Schema.String),
  type: Schema.Literal("built-in", "module", "user", "core", "custom", "unknown"),
  details: Schema.Array(ToolsetFunction),
  /** An estimate of what the definitions take of a prompt. */
  tokens: Schema.Number
})

/**
 * What would be on offer were a set, or a draft of one, active.
 *
 * @category models
 */
export interface ToolsetPreview extends Schema.Schema.Type<typeof ToolsetPreview> {}

const Toolsets = Schema.Struct({
  toolsets: Schema.Array(Toolset),
  /** All functions by their modules; those of none under an empty name. */
  modules: Schema.Array(Schema.Struct({ name: Schema.String, functions: Schema.Array(ToolsetFunction) })),
  /** What is active in the conversation asked about. */
  active: ToolsetPreview,
  /** Nothing was ever activated there: this is the initial set. */
  isInitial: Schema.Boolean
})

/**
 * The toolsets, and what one conversation has active.
 *
 * @category models
 */
export interface Toolsets extends Schema.Schema.Type<typeof Toolsets> {}

const ToolsetSaving = Schema.Struct({
  functions: Schema.Array(Schema.String),
  metadata: optional(JsonRecord),
  /** Whether a toolset of this name is replaced. */
  isReplacing: optional(Schema.Boolean),
  /** The functions of the toolset that was changed. If it has others by now, the answer is a Conflict. */
  was: optional(Schema.Array(Schema.String))
})

const ToolsetActivation = Schema.Struct({
  conversation: Schema.String,
  /** A set by its name, or functions by theirs; neither means the initial set again. */
  name: optional(Schema.String),
  functions: optional(Schema.Array(Schema.String))
})

const ToolsetFile = Schema.Struct({
  wield: Schema.Literal("toolset"),
  version: Schema.Literal(1),
  name: Schema.String,
  functions: Schema.Array(Schema.String),
  metadata: JsonRecord
})

/**
 * A toolset as a file, for another installation.
 *
 * @category models
 */
export interface ToolsetFile extends Schema.Schema.Type<typeof ToolsetFile> {}

const ToolsetImport = Schema.Struct({
  /** The file as text or as JSON: of Wield, or of Sapphire. */
  exported: JsonValue,
  name: optional(Schema.String),
  isReplacing: optional(Schema.Boolean)
})

const ToolsetImported = Schema.Struct({
  toolset: Toolset,
  /** Functions that no tool here has the name of: they were left out. */
  skipped: Schema.Array(Schema.String)
})

// Runs

const Usage = Schema.Struct({
  input: optional(Schema.Number),
  output: optional(Schema.Number),
  reasoning: optional(Schema.Number),
  cacheRead: optional(Schema.Number),
  cacheWrite: optional(Schema.Number)
})

/**
 * Tokens; what the provider does not tell is absent.
 *
 * @category models
 */
export interface Usage extends Schema.Schema.Type<typeof Usage> {}

const happening = <Tag extends string, Fields extends Schema.Struct.Fields>(tag: Tag, fields: Fields) =>
  Schema.Struct({ _tag: Schema.Literal(tag), ...fields })

const Happening = Schema.Union(
  happening("RunStarted", {
    /** The agent's name, or the tool's for a call by hand. */
    name: Schema.String,
    kind: Schema.Literal("agent", "playground", "calls"),
    conversation: optional(Schema.String),
    prompt: optional(Schema.String)
  }),
  /** A call is in one stage for a while. `milliseconds` is how long it has been there, at least 200. */
  happening("CallWaits", { call: Call, stage: Schema.String, milliseconds: Schema.Number }),
  happening("Journal", {
    call: Schema.String,
    action: Schema.Literal("begin", "finish", "interrupt", "abandon"),
    /** Of `begin`: what the journal knew. */
    known: optional(Schema.Literal("Fresh", "Running", "Begun", "Interrupted", "Finished"))
  }),
  happening("RunEnded", {
    result: Schema.Literal("Finished", "Paused", "Stopped", "Failed", "Interrupted"),
    text: optional(Schema.String),
    /** Of Stopped: the condition. Of Failed: the error. */
    message: optional(Schema.String),
    steps: optional(Schema.Number)
  }),
  AgentEvent.Happening
)

/**
 * What happened. The names are those of `AgentEvent`; a run of calls without a
 * model has `RunStarted`, `CallStarted`, `CallProgress`, `CallWaits`, `CallFinished`, `RunEnded`.
 *
 * @category models
 */
export type Happening = typeof Happening.Type

const Event = Schema.Struct({
  /** Rises by one with each event of the studio. */
  sequence: Schema.Number,
  run: Schema.String,
  at: Milliseconds,
  event: Happening
})

/**
 * An event of a run.
 *
 * @category models
 */
export interface Event extends Schema.Schema.Type<typeof Event> {}

const Run = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  kind: Schema.Literal("agent", "playground", "calls"),
  /** Runs of one conversation follow each other. */
  conversation: optional(Schema.String),
  /** Names the process of a run from elsewhere: recorded remotely, or imported. */
  origin: optional(Schema.String),
  status: Schema.Literal("running", "finished", "paused", "stopped", "failed", "interrupted"),
  startedAt: Milliseconds,
  endedAt: optional(Milliseconds),
  steps: Schema.Number,
  calls: Schema.Number,
  /** Calls that ended as an error. */
  errors: Schema.Number,
  usage: Usage,
  /** Sequence numbers. */
  first: Schema.Number,
  last: Schema.Number,
  events: Schema.Number,
  /** Older events that had to make room. */
  dropped: Schema.Number
})

/**
 * A run in the list.
 *
 * @category models
 */
export interface Run extends Schema.Schema.Type<typeof Run> {}

const Runs = Schema.Struct({ runs: Schema.Array(Run), last: Schema.Number })

const RunEvents = Schema.Struct({
  run: Run,
  events: Schema.Array(Event),
  /** There is more: ask again, after the last of these. */
  isMore: Schema.Boolean
})

const RunFile = Schema.Struct({
  wield: Schema.Literal("run"),
  version: Schema.Literal(1),
  id: Schema.String,
  origin: optional(Schema.String),
  dropped: Schema.Number,
  events: Schema.Array(Schema.Struct({ at: Milliseconds, event: Happening }))
})

/**
 * A run as a file. It imports elsewhere and exports there as the same bytes.
 *
 * @category models
 */
export interface RunFile extends Schema.Schema.Type<typeof RunFile> {}

// Approvals

const Approval = Schema.Struct({
  id: Schema.String,
  tool: Schema.String,
  description: optional(Schema.String),
  call: Call,
  /** The visible arguments, parsed and valid. */
  arguments: JsonRecord,
  /** The schema for a form that changes them; absent where the tool is there no longer. */
  inputSchema: optional(JsonRecord),
  waitsFor: WaitsFor,
  /** What is asked, where the call waits for input. */
  input: optional(CoreOutcome.InputJson),
  why: optional(Schema.String),
  /** What an answer is bound to. */
  digest: Schema.String,
  facts: Facts,
  /** Who asks. */
  from: Schema.Struct({
    kind: Schema.Literal("playground", "call", "agent", "store"),
    name: Schema.String,
    run: optional(Schema.String),
    conversation: optional(Schema.String)
  }),
  askedAt: optional(Milliseconds),
  expiresAt: optional(Milliseconds)
})

/**
 * A call that waits for an answer.
 *
 * @category models
 */
export interface Approval extends Schema.Schema.Type<typeof Approval> {}

const Reply = Schema.Union(
  Schema.Struct({ _tag: Schema.Literal("Approve") }),
  /** All visible arguments, in place of the model's. */
  Schema.Struct({ _tag: Schema.Literal("ApproveWith"), arguments: JsonRecord }),
  Schema.Struct({ _tag: Schema.Literal("Deny"), reason: Schema.String }),
  /** For a call that waits for a client: what the client found. */
  Schema.Struct({ _tag: Schema.Literal("Result"), value: JsonValue }),
  /** For a call that waits for input. */
  Schema.Struct({ _tag: Schema.Literal("Reply"), value: JsonValue })
)

/**
 * An answer to a call that waits.
 *
 * @category models
 */
export type Reply = typeof Reply.Type

const ApprovalAnswer = Schema.Struct({
  /** The digest that was displayed. With another one the answer is a Conflict. */
  digest: Schema.String,
  reply: Reply
})

/**
 * An answer bound to what was shown.
 *
 * @category models
 */
export interface ApprovalAnswer extends Schema.Schema.Type<typeof ApprovalAnswer> {}

const Answered = Schema.Struct({
  /** The run that goes on. */
  run: optional(Schema.String),
  /** Of a call by hand: how it ended. */
  outcome: optional(CoreOutcome.Json)
})

/**
 * What an answer has led to.
 *
 * @category models
 */
export interface Answered extends Schema.Schema.Type<typeof Answered> {}

// Conversations

const Conversation = Schema.Struct({
  id: Schema.String,
  title: optional(Schema.String),
  createdAt: Milliseconds,
  changedAt: Milliseconds,
  /** How many entries it has. */
  length: Schema.Number,
  /** How many calls wait in it. */
  waiting: Schema.Number
})

/**
 * A conversation in the list.
 *
 * @category models
 */
export interface Conversation extends Schema.Schema.Type<typeof Conversation> {}

const Conversations = Schema.Struct({
  conversations: Schema.Array(Conversation),
  /** Give it as `from` for the next page. */
  next: optional(Schema.String)
})

const Part = Schema.Union(
  Schema.Struct({ _tag: Schema.Literal("Text", "Reasoning", "Refusal"), text: Schema.String }),
  Schema.Struct({ _tag: Schema.Literal("Call"), call: Call, executedBy: Schema.Literal("application", "provider") }),
  Schema.Struct({
    _tag: Schema.Literal("Result"),
    id: Schema.String,
    name: Schema.String,
    isError: Schema.Boolean,
    text: Schema.String
  }),
  Schema.Struct({
    _tag: Schema.Literal("Image", "File"),
    mediaType: Schema.String,
    /** Base64; absent for one that stands at an address. */
    data: optional(Schema.String),
    url: optional(Schema.String)
  })
)

/**
 * A part of a message.
 *
 * @category models
 */
export type Part = typeof Part.Type

const Entry = Schema.Struct({
  /** Names the turn to fork at. */
  id: Schema.String,
  at: Milliseconds,
  role: Schema.Literal("system", "user", "assistant", "results", "summary"),
  parts: Schema.Array(Part),
  model: optional(Schema.String),
  usage: optional(Usage)
})

/**
 * A message of a conversation.
 *
 * @category models
 */
export interface Entry extends Schema.Schema.Type<typeof Entry> {}

const ConversationDetail = Schema.Struct({ conversation: Conversation, entries: Schema.Array(Entry) })

// Playground

const Session = Schema.Struct({
  id: Schema.String,
  conversation: Schema.String,
  model: Schema.Literal("agent", "scripted"),
  status: Schema.Literal("idle", "running", "waiting"),
  /** The run that goes on, or the last one. */
  run: optional(Schema.String),
  /** Scripted turns that were not played yet. */
  left: Schema.Number
})

/**
 * A chat in the playground.
 *
 * @category models
 */
export interface Session extends Schema.Schema.Type<typeof Session> {}

const ScriptedPart = Schema.Union(
  Schema.Struct({ _tag: Schema.Literal("Text", "Reasoning", "Refusal"), text: Schema.String }),
  Schema.Struct({ _tag: Schema.Literal("Call"), name: Schema.String, arguments: JsonValue })
)

/**
 * A part of a turn of a scripted model.
 *
 * @category models
 */
export type ScriptedPart = typeof ScriptedPart.Type

const Prompt = Schema.Struct({
  /** Without one the conversation goes on where it is. */
  prompt: optional(Schema.String),
  /** Turns of a scripted model, each a list of parts, added to those that are left. */
  script: optional(Schema.Array(Schema.Array(ScriptedPart)))
})

/**
 * A message to the model.
 *
 * @category models
 */
export interface Prompt extends Schema.Schema.Type<typeof Prompt> {}

// Endpoints

const name = HttpApiSchema.param("name", Schema.String)
const id = HttpApiSchema.param("id", Schema.String)

const Count = Schema.NumberFromString.pipe(Schema.int(), Schema.nonNegative())

const about = HttpApiGroup.make("about")
  .add(HttpApiEndpoint.get("about", "/about").addSuccess(About))
  .add(HttpApiEndpoint.get("problems", "/problems").addSuccess(Schema.Struct({ problems: Schema.Array(Problem) })))

const tools = HttpApiGroup.make("tools")
  .add(
    HttpApiEndpoint.get("list", "/tools")
      .setUrlParams(Schema.Struct({ conversation: optional(Schema.String) }))
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

const toolsets = HttpApiGroup.make("toolsets")
  .add(
    HttpApiEndpoint.get("list", "/toolsets")
      .setUrlParams(Schema.Struct({ conversation: optional(Schema.String) }))
      .addSuccess(Toolsets)
  )
  .add(
    // What a draft would offer; nothing is saved or activated. Allowed in a read-only studio.
    HttpApiEndpoint.post("draft", "/toolsets/draft")
      .setPayload(Schema.Struct({ functions: Schema.Array(Schema.String) }))
      .addSuccess(ToolsetPreview)
  )
  .add(
    HttpApiEndpoint.post("activate", "/toolsets/activate")
      .setPayload(ToolsetActivation)
      .addSuccess(ToolsetPreview)
      .addError(Refused)
      .addError(ReadOnly)
  )
  .add(
    HttpApiEndpoint.post("import", "/toolsets/import")
      .setPayload(ToolsetImport)
      .addSuccess(ToolsetImported)
      .addError(Refused)
      .addError(Conflict)
      .addError(ReadOnly)
  )
  .add(HttpApiEndpoint.get("preview")`/toolsets/${name}`.addSuccess(ToolsetPreview))
  .add(
    HttpApiEndpoint.put("save")`/toolsets/${name}`
      .setPayload(ToolsetSaving)
      .addSuccess(Toolset)
      .addError(Refused)
      .addError(Conflict)
      .addError(ReadOnly)
  )
  .add(
    HttpApiEndpoint.del("delete")`/toolsets/${name}`
      // The conversations in which it was active.
      .addSuccess(Schema.Struct({ conversations: Schema.Array(Schema.String) }))
      .addError(Refused)
      .addError(Conflict)
      .addError(ReadOnly)
  )
  .add(
    HttpApiEndpoint.post("copy")`/toolsets/${name}/copy`
      .setPayload(Schema.Struct({ to: Schema.String }))
      .addSuccess(Toolset)
      .addError(Refused)
      .addError(Conflict)
      .addError(ReadOnly)
  )
  .add(
    HttpApiEndpoint.post("rename")`/toolsets/${name}/rename`
      .setPayload(Schema.Struct({ to: Schema.String }))
      .addSuccess(Toolset)
      .addError(Refused)
      .addError(Conflict)
      .addError(ReadOnly)
  )
  .add(HttpApiEndpoint.get("export")`/toolsets/${name}/export`.addSuccess(ToolsetFile))
  // Also for a studio without a manager of toolsets.
  .addError(NotFound)
  .addError(Failed)

const runs = HttpApiGroup.make("runs")
  // The newest first.
  .add(HttpApiEndpoint.get("list", "/runs").addSuccess(Runs))
  .add(
    // Bodies of up to 20 MiB, the size of what the recorder keeps.
    HttpApiEndpoint.post("import", "/runs/import")
      .setPayload(RunFile)
      .addSuccess(Run)
      .addError(Conflict)
      .addError(Refused)
      .addError(ReadOnly)
  )
  .add(
    HttpApiEndpoint.get("events")`/runs/${id}/events`
      .setUrlParams(Schema.Struct({ after: optional(Count), limit: optional(Count) }))
      .addSuccess(RunEvents)
      .addError(NotFound)
  )
  .add(HttpApiEndpoint.get("export")`/runs/${id}/export`.addSuccess(RunFile).addError(NotFound))
  .add(
    /**
     * Server-sent events, from the one after `after` on:
     *
     * - `event: hello`, data `{ epoch, last }`, once at the begin;
     * - `event: event`, `id:` its sequence, data `Event`;
     * - `event: gap`, data `{ after }`: events up to this sequence had to make room before they were sent;
     * - `event: changed`, data `{ what: Changed }`, without `id:`: ask for that list again. After a reconnect, ask for all;
     * - a comment every 15 seconds.
     *
     * An `epoch` other than the studio's begins at its first event.
     */
    HttpApiEndpoint.get("stream", "/events")
      .setUrlParams(
        Schema.Struct({ after: optional(Count), epoch: optional(Schema.String), run: optional(Schema.String) })
      )
      .addSuccess(HttpApiSchema.Text({ contentType: "text/event-stream" }))
  )
  .add(
    // Events of another process (`Recorder.layerRemote`), in their order.
    HttpApiEndpoint.post("record", "/events")
      .setPayload(
        Schema.Struct({
          origin: Schema.String,
          /** With the sequence numbers it tells events that came before, which are skipped. */
          epoch: Schema.String,
          events: Schema.Array(Event)
        })
      )
      .addError(ReadOnly)
  )

const Changed = Schema.Literal("tools", "toolsets", "runs", "approvals", "conversations", "playground", "problems")

/**
 * Which list has changed.
 *
 * @category models
 */
export type Changed = typeof Changed.Type

const approvals = HttpApiGroup.make("approvals")
  .add(HttpApiEndpoint.get("list", "/approvals").addSuccess(Schema.Struct({ approvals: Schema.Array(Approval) })))
  .add(
    HttpApiEndpoint.post("answer")`/approvals/${id}`
      .setPayload(ApprovalAnswer)
      .addSuccess(Answered)
      .addError(NotFound)
      .addError(Conflict)
      .addError(Refused)
      .addError(ReadOnly)
  )
  .addError(Failed)

const conversations = HttpApiGroup.make("conversations")
  .add(
    HttpApiEndpoint.get("list", "/conversations")
      .setUrlParams(
        Schema.Struct({
          /** A part of a title, an id or a text. */
          query: optional(Schema.String),
          from: optional(Schema.String),
          limit: optional(Count)
        })
      )
      .addSuccess(Conversations)
  )
  .add(HttpApiEndpoint.get("get")`/conversations/${id}`.addSuccess(ConversationDetail).addError(NotFound))
  .add(
    // A new conversation with the entries up to and including `at`.
    HttpApiEndpoint.post("fork")`/conversations/${id}/fork`
      .setPayload(Schema.Struct({ at: optional(Schema.String) }))
      .addSuccess(Conversation)
      .addError(NotFound)
      .addError(ReadOnly)
  )
  .addError(Failed)

const playground = HttpApiGroup.make("playground")
  .add(HttpApiEndpoint.get("list", "/playground").addSuccess(Schema.Struct({ sessions: Schema.Array(Session) })))
  .add(
    HttpApiEndpoint.post("start", "/playground")
      .setPayload(
        Schema.Struct({
          model: Schema.Literal("agent", "scripted"),
          /** A conversation to go on with; a new one unless given. */
          conversation: optional(Schema.String)
        })
      )
      .addSuccess(Session)
      .addError(NotFound)
      .addError(ReadOnly)
  )
  .add(
    // Answers at once; the run's events come over the stream.
    HttpApiEndpoint.post("prompt")`/playground/${id}/prompt`
      .setPayload(Prompt)
      .addSuccess(Session)
      .addError(NotFound)
      .addError(Conflict)
      .addError(ReadOnly)
  )
  .add(HttpApiEndpoint.post("stop")`/playground/${id}/stop`.addSuccess(Session).addError(NotFound).addError(ReadOnly))
  .addError(Failed)

/**
 * The API. Before it comes the guard, whose refusals are JSON of the form
 * `{ _tag, message }`: 401 `Unauthorized`, 403 `ForeignOrigin`, 413 `TooLarge`,
 * 415 `NotJson`, 421 `ForeignHost`. A request of a wrong form is 400
 * `HttpApiDecodeError`.
 *
 * @category api
 */
export const Api = HttpApi.make("studio")
  .add(about)
  .add(tools)
  .add(toolsets)
  .add(runs)
  .add(approvals)
  .add(conversations)
  .add(playground)
  .prefix("/api")
