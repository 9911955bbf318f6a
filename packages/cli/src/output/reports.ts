/** What `--json` prints: one value a command, of version 1. `output.schema.json` is made from these schemas, in `jsonSchema.ts`. */
import * as Issue from "@wield/core/Issue"
import * as Outcome from "@wield/core/Outcome"
import * as Schema from "effect/Schema"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const JsonValue = Schema.Unknown.annotations({ description: "Any JSON value" })
const JsonSchemaValue = Schema.Record({ key: Schema.String, value: JsonValue }).annotations({
  description: "A JSON Schema"
})

const WaitsFor = Schema.Literal("approval", "client", "input")

export const report = <Name extends string, Fields extends Schema.Struct.Fields, Other extends string = never>(
  command: Name,
  fields: Fields,
  ...others: ReadonlyArray<Other>
) =>
  Schema.Struct({ wield: Schema.Literal(1), command: Schema.Literal(command, ...others), ...fields }).annotations({
    identifier: `${command.replace(/(?:^|[ -])(\w)/g, (_, letter: string) => letter.toUpperCase())}Report`
  })

export const Problem = Schema.Struct({
  severity: Schema.Literal("error", "warning"),
  rule: optional(Schema.String),
  source: optional(Schema.String),
  tool: optional(Schema.String),
  path: optional(Schema.String),
  message: Schema.String
}).annotations({ identifier: "Problem" })

const Facts = Schema.Struct({
  kind: Schema.Literal("local", "api", "client", "provider"),
  title: optional(Schema.String),
  isReadOnly: Schema.Boolean,
  isDestructive: Schema.Boolean,
  isIdempotent: Schema.Boolean,
  isOpenWorld: Schema.Boolean,
  disclosure: Schema.Literal("none", "endpoint", "any"),
  isSequential: Schema.Boolean,
  examples: Schema.Array(JsonValue)
}).annotations({ identifier: "Facts" })

export const Tool = Schema.Struct({
  name: Schema.String,
  source: optional(Schema.String),
  description: optional(Schema.String),
  inputSchema: JsonSchemaValue,
  outputSchema: optional(JsonSchemaValue),
  facts: Facts
}).annotations({ identifier: "Tool" })

export type Tool = typeof Tool.Type

export const List = report("list", { tools: Schema.Array(Tool), problems: Schema.Array(Problem) })

export const Search = report("search", {
  tools: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      description: optional(Schema.String),
      source: optional(Schema.String),
      score: Schema.Number.annotations({ description: "Comparable within this search" })
    })
  ),
  problems: Schema.Array(Problem)
})

const Loss = Schema.Struct({
  subject: Schema.String,
  path: Schema.Array(Schema.Union(Schema.String, Schema.Number)),
  keyword: Schema.String,
  reason: Schema.String
})

export const Inspect = report("inspect", {
  tool: Tool,
  hidden: Schema.Array(Schema.String).annotations({ description: "Fields that the call context supplies" }),
  fingerprint: Schema.String.annotations({ description: "SHA-256 of the definition" }),
  tokens: Schema.Number.annotations({ description: "An estimate of what the definition takes of a prompt" }),
  wire: optional(Schema.Struct({ format: Schema.String, body: JsonValue, losses: Schema.Array(Loss) }))
})

export const Call = report("call", {
  tool: Schema.String,
  id: Schema.String,
  outcome: Schema.Literal(...Outcome.tags),
  exitCode: Schema.Number,
  result: optional(JsonValue),
  text: optional(Schema.String).annotations({ description: "What a model reads" }),
  issues: optional(Schema.Array(Issue.Json)),
  nearest: optional(Schema.Array(Schema.String)),
  waitsFor: optional(WaitsFor),
  input: optional(Outcome.InputJson),
  why: optional(Schema.String),
  arguments: optional(JsonValue),
  digest: optional(Schema.String),
  notes: Schema.Array(Schema.String)
})

export const Trust = report("trust", {
  folder: Schema.String,
  isTrusted: Schema.Boolean,
  accepted: optional(Schema.Array(Schema.String)).annotations({
    description: "What MCP servers say otherwise than before"
  })
})

export const Diff = report("diff", {
  level: Schema.Literal("none", "major", "minor", "patch"),
  next: optional(Schema.String).annotations({ description: "The version that follows the one given" }),
  changes: Schema.Array(
    Schema.Struct({
      tool: Schema.String,
      part: Schema.Literal("tool", "input", "output", "facts"),
      path: Schema.Array(Schema.String),
      kind: Schema.Literal(
        "tool-added",
        "tool-removed",
        "added",
        "removed",
        "required",
        "optional",
        "widened",
        "narrowed",
        "altered",
        "default",
        "fact",
        "words"
      ),
      level: Schema.Literal("major", "minor", "patch"),
      message: Schema.String
    })
  )
})

export const Replay = report("replay", {
  counts: Schema.Struct({ valid: Schema.Number, repaired: Schema.Number, refused: Schema.Number }),
  calls: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      tool: Schema.String,
      verdict: Schema.Literal("valid", "repaired", "refused"),
      reasons: Schema.Array(Schema.String)
    })
  )
})

export const Lint = report("lint", {
  problems: Schema.Array(Problem),
  tokens: Schema.Struct({
    total: Schema.Number,
    tools: Schema.Record({ key: Schema.String, value: Schema.Number })
  })
})

export const Doctor = report("doctor", {
  checks: Schema.Array(
    Schema.Struct({ name: Schema.String, status: Schema.Literal("ok", "warning", "error"), detail: Schema.String })
  )
})

export const Import = report("import", { tools: Schema.Array(Schema.String), file: optional(Schema.String) })

export const New = report("new", { files: Schema.Array(Schema.String) })

export const Runs = report(
  "runs list",
  {
    runs: Schema.Array(
      Schema.Struct({
        conversation: Schema.String,
        changedAt: Schema.String,
        entries: Schema.Number,
        waiting: Schema.Number,
        state: Schema.Literal("done", "open", "waiting")
      })
    )
  },
  "runs stuck"
)

export const Run = report("runs show", {
  conversation: Schema.String,
  entries: Schema.Array(Schema.Struct({ at: Schema.String, from: Schema.String, text: Schema.String }))
})

export const Forgotten = report("runs forget", { conversation: Schema.String })

export const Approvals = report("approvals list", {
  approvals: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      call: Schema.String,
      conversation: Schema.String,
      tool: Schema.String,
      arguments: JsonValue,
      digest: Schema.String,
      waitsFor: WaitsFor,
      input: optional(Outcome.InputJson),
      why: optional(Schema.String)
    })
  )
})

export const Answer = report("approvals answer", {
  conversation: Schema.String,
  result: Schema.Literal("Finished", "Paused", "Stopped"),
  text: Schema.String,
  waiting: Schema.Number
})

/** How a command ends that has nothing to print; on standard error. */
export const Failed = Schema.Struct({
  wield: Schema.Literal(1),
  error: Schema.String,
  exitCode: Schema.Number
}).annotations({ identifier: "FailedReport" })
