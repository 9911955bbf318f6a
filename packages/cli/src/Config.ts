/** The configuration of a project: `wield.config.ts`, or the same in JavaScript, JSON or YAML. */
import type * as AiToolkit from "@effect/ai/Toolkit"
import type { Model } from "@wield/agent"
import type { CallContext, InvalidTool, Policy, Toolset } from "@wield/core"
import type { Manifest } from "@wield/manifest"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

const Prefix = Schema.optionalWith(Schema.String, { exact: true }).annotations({
  description: "What the names of the source's tools begin with"
})

const path = (description: string) => Schema.NonEmptyString.annotations({ description })

const FileSource = Schema.Union(
  Schema.Struct({ manifest: path("A file of tools, in JSON or YAML"), prefix: Prefix }),
  Schema.Struct({ scripts: path("A folder of Python, Bash, TypeScript and JavaScript files"), prefix: Prefix }),
  Schema.Struct({ functions: path("A folder of function files"), prefix: Prefix }),
  Schema.Struct({
    openapi: path("An OpenAPI file, in JSON or YAML"),
    url: Schema.optionalWith(Schema.String, { exact: true }).annotations({
      description: "The address of the API, whatever servers the file names"
    }),
    prefix: Prefix
  }),
  Schema.Struct({
    mcp: Schema.Union(
      path("A file of MCP servers, such as mcp.json"),
      Schema.Record({ key: Schema.String, value: Schema.Object }).annotations({
        description: "MCP servers by their names, each as mcp.json has it"
      })
    ),
    prefix: Prefix
  })
)

/**
 * Tools from a file, a folder or MCP servers. Paths are relative to the configuration's folder.
 *
 * @category models
 */
export type FileSource = typeof FileSource.Type

const Approval = Schema.Literal("allow", "ask", "cautious").annotations({
  description:
    "Whether calls run at once, are asked about, or only those that may destroy something are. allow unless given"
})

/**
 * A configuration as JSON and YAML hold it.
 *
 * @category schemas
 */
export const File = Schema.Struct({
  $schema: Schema.optionalWith(Schema.String, { exact: true }),
  tools: Schema.Array(FileSource).annotations({ description: "Where the tools come from" }),
  context: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Unknown }), {
    exact: true
  }).annotations({ description: "Values for the hidden fields of tools" }),
  approval: Schema.optionalWith(Approval, { exact: true }),
  timeout: Schema.optionalWith(Schema.Positive, { exact: true }).annotations({
    description: "The longest a call may take, in seconds"
  }),
  allowedHosts: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }).annotations({
    description: "Private and loopback hosts that tools may call, as name, address or either with :port"
  }),
  model: Schema.optionalWith(
    Schema.Union(
      Schema.String,
      Schema.Struct({
        format: Schema.String,
        id: Schema.String,
        url: Schema.optionalWith(Schema.String, { exact: true })
      })
    ),
    { exact: true }
  ).annotations({
    description: "The model of `run` and `chat`, such as anthropic:claude-sonnet-4-5, or { format, id, url }"
  }),
  instructions: Schema.optionalWith(Schema.String, { exact: true }).annotations({
    description: "The system text of `run` and `chat`"
  }),
  toolsets: Schema.optionalWith(path("A file of named toolsets"), { exact: true }),
  store: Schema.optionalWith(path("The SQLite file of conversations and calls"), { exact: true })
}).annotations({ identifier: "WieldConfig" })

/**
 * A configuration as JSON and YAML hold it.
 *
 * @category models
 */
export type File = typeof File.Type

/**
 * Tools that need code: a toolset, an effect that makes one, a toolkit (its handlers come from `layer`), a tool of the
 * package `wield`, or a manifest with handlers for its local tools.
 *
 * @category models
 */
export type CodeSource =
  | Toolset.Any
  | Effect.Effect<Toolset.Any, unknown, unknown>
  | AiToolkit.Any
  | { readonly name: string; readonly dynamic: Effect.Effect<Toolset.DynamicTool, InvalidTool> }
  | {
      readonly manifest: string
      readonly handlers: NonNullable<Manifest.Options["handlers"]>
      readonly prefix?: string
    }

/**
 * A configuration as a module exports it.
 *
 * @category models
 */
export interface Config extends Omit<File, "tools" | "model" | "approval" | "$schema"> {
  readonly tools: ReadonlyArray<FileSource | CodeSource>
  /** What toolkits and handlers need. */
  readonly layer?: Layer.Layer<never, unknown, Scope.Scope>
  readonly context?: CallContext.Values
  readonly approval?: typeof Approval.Type | NonNullable<Policy.Policy["approval"]>
  /** The rest of the policy. */
  readonly policy?: Omit<Policy.Policy, "approval" | "journal">
  readonly model?: File["model"] | Model.Model | Effect.Effect<Model.Model, unknown>
}

/**
 * Gives a configuration its type, and returns it as it is.
 *
 * @example
 * ```ts
 * import { Tool, Toolkit } from "@effect/ai"
 * import { defineConfig } from "@wield/cli"
 * import { Effect, Schema } from "effect"
 *
 * class Sums extends Toolkit.make(Tool.make("double", { parameters: { n: Schema.Number }, success: Schema.Number })) {}
 *
 * export default defineConfig({
 *   tools: [Sums, { manifest: "tools.json" }, { scripts: "tools" }],
 *   layer: Sums.toLayer({ double: ({ n }) => Effect.succeed(n * 2) }),
 *   approval: "cautious"
 * })
 * ```
 *
 * @category constructors
 */
export const defineConfig = (config: Config): Config => config
