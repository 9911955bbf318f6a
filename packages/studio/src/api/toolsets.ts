/** Toolsets: what they would offer, and what is done with them. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Failed, JsonRecord, JsonValue, name, NotChanged, NotFound, optional, ReadOnly, Refused } from "./parts.js"

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

export const toolsets = HttpApiGroup.make("toolsets")
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
      .addError(NotChanged)
  )
  .add(HttpApiEndpoint.get("preview")`/toolsets/${name}`.addSuccess(ToolsetPreview))
  .add(
    HttpApiEndpoint.put("save")`/toolsets/${name}`.setPayload(ToolsetSaving).addSuccess(Toolset).addError(NotChanged)
  )
  .add(
    HttpApiEndpoint.del("delete")`/toolsets/${name}`
      // The conversations in which it was active.
      .addSuccess(Schema.Struct({ conversations: Schema.Array(Schema.String) }))
      .addError(NotChanged)
  )
  .add(
    HttpApiEndpoint.post("copy")`/toolsets/${name}/copy`
      .setPayload(Schema.Struct({ to: Schema.String }))
      .addSuccess(Toolset)
      .addError(NotChanged)
  )
  .add(
    HttpApiEndpoint.post("rename")`/toolsets/${name}/rename`
      .setPayload(Schema.Struct({ to: Schema.String }))
      .addSuccess(Toolset)
      .addError(NotChanged)
  )
  .add(HttpApiEndpoint.get("export")`/toolsets/${name}/export`.addSuccess(ToolsetFile))
  // Also for a studio without a manager of toolsets.
  .addError(NotFound)
  .addError(Failed)
