/**
 * One provider API's JSON: tools out, turns in, results out. Each format is a
 * plain value, so a program can hold several and pick one by name or by the
 * look of a response body.
 *
 * @since 0.1.0
 */
import type { Json, Loss, Outcome, ToolDefinition, Turn } from "@wield/core"
import type * as Either from "effect/Either"
import type { WireError } from "./WireError.js"

/**
 * Which tools the model may or must call.
 *
 * @since 0.1.0
 * @category models
 */
export type ToolChoice =
  | { readonly _tag: "Auto" }
  | { readonly _tag: "None" }
  | { readonly _tag: "Required" }
  /** The model must call one of these. Where the API can name only one or none, this is reported as a loss. */
  | { readonly _tag: "OneOf"; readonly names: ReadonlyArray<string> }

/**
 * How the tools are offered.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolsOptions {
  /** Left out of the request when not given. */
  readonly choice?: ToolChoice | undefined
  /** Whether the model may make several calls in one turn. Left out of the request when not given. */
  readonly isParallel?: boolean | undefined
  /** Ask the API to hold the model to the schemas, where it can. */
  readonly isStrict?: boolean | undefined
}

/**
 * The part of a request body that offers tools.
 *
 * @since 0.1.0
 * @category models
 */
export interface EncodedTools {
  /** Keys of the request body, such as `tools` and `tool_choice`: spread it into the body. Equal input gives equal bytes. */
  readonly body: Json.JsonObject
  /** What the format cannot say. */
  readonly losses: ReadonlyArray<Loss.Loss>
}

/**
 * What was offered, so that calls can be read back as they are meant.
 *
 * @since 0.1.0
 * @category models
 */
export interface Offered {
  /** The definitions that were encoded: names that the API made it necessary to map are mapped back by them. */
  readonly definitions?: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined
  /** The tools were encoded in strict mode: `null` for an absent optional parameter is taken away again. */
  readonly isStrict?: boolean | undefined
}

/**
 * What to append to the conversation after a turn: the turn itself, verbatim,
 * then its results.
 *
 * @since 0.1.0
 * @category models
 */
export interface EncodedResults {
  /** Messages (or items, or contents) to append to the request's history. */
  readonly messages: ReadonlyArray<Json.Json>
  /** Ids of the calls that have no result yet. The request must not be sent before they have one. */
  readonly pending: ReadonlyArray<string>
  readonly losses: ReadonlyArray<Loss.Loss>
}

/**
 * One provider API's JSON.
 *
 * @since 0.1.0
 * @category models
 */
export interface WireFormat {
  readonly name: string
  /** The part of a request body that offers these tools. */
  readonly encodeTools: (
    definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
    options?: ToolsOptions
  ) => EncodedTools
  /** Reads a response body (already parsed JSON). Never throws. */
  readonly decodeTurn: (body: unknown, offered?: Offered) => Either.Either<Turn.Turn, WireError>
  /** The turn and the outcomes of its calls, as messages to append. Outcomes are paired by call id. */
  readonly encodeResults: (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>) => EncodedResults
  /** Whether a response body looks like this format. */
  readonly isFormatOf: (body: unknown) => boolean
}

export {
  /**
   * The format of a response body, by its look.
   *
   * @since 0.1.0
   * @category guards
   */
  detect
} from "./detect.js"
