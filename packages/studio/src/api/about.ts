/** What there is to see, and what is wrong with it. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { optional } from "./parts.js"

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

export const about = HttpApiGroup.make("about")
  .add(HttpApiEndpoint.get("about", "/about").addSuccess(About))
  .add(HttpApiEndpoint.get("problems", "/problems").addSuccess(Schema.Struct({ problems: Schema.Array(Problem) })))
