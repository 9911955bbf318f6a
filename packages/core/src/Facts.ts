/**
 * What the author of a tool states about it. Facts live on the tool, as
 * annotations of `@effect/ai` and the ones of this module; what an application
 * decides about running tools is policy and lives where the runner is made.
 */
import * as Context from "effect/Context"
import type * as Tool from "@effect/ai/Tool"
import type * as Schema from "effect/Schema"
import type { VisibleArguments } from "./Hidden.js"
import { isPlain, type JsonObject, withoutUndefined } from "./Json.js"
import {
  aFlag,
  aFunction,
  aText,
  type Check,
  type Checks,
  fields,
  holds,
  isYes,
  list,
  oneOf,
  orThrow
} from "./Options.js"

/**
 * Where a tool is executed: `local` by a handler in this process, `api` by a
 * handler that calls a remote service, `client` by the program that holds the
 * conversation (the call is deferred), `provider` by the model's own API.
 *
 * @category models
 */
export type Kind = "local" | "api" | "client" | "provider"

/**
 * Who learns what a tool is given: `none` beside this machine, only the
 * `endpoint` that the application has configured for it (which may be on this
 * machine or not), or `any`.
 *
 * @category models
 */
export type Disclosure = "none" | "endpoint" | "any"

/**
 * The facts of one tool, with the defaults of `@effect/ai`: a tool is taken to
 * be destructive and open-world unless it is stated not to be.
 *
 * @category models
 */
export interface Facts {
  readonly kind: Kind
  /** A name for people. */
  readonly title: string | undefined
  /** The tool changes nothing. Unless stated: false. */
  readonly isReadOnly: boolean
  /** The tool may destroy or overwrite something. Unless stated: true. */
  readonly isDestructive: boolean
  /** Calling twice with the same arguments does no more than calling once. Unless stated: false. */
  readonly isIdempotent: boolean
  /** The tool reaches beyond the application. Unless stated: true. */
  readonly isOpenWorld: boolean
  /** Who learns what the tool is given. Unless stated: any. */
  readonly disclosure: Disclosure
  /** In one batch of calls, nothing runs beside this one: a barrier. */
  readonly isSequential: boolean
  /** Arguments (in encoded form) that show a model how the tool is meant to be called. */
  readonly examples: ReadonlyArray<JsonObject>
}

/**
 * The facts of a tool about which nothing is stated.
 *
 * @category constructors
 */
export const unstated: Facts = {
  kind: "local",
  title: undefined,
  isReadOnly: false,
  isDestructive: true,
  isIdempotent: false,
  isOpenWorld: true,
  disclosure: "any",
  isSequential: false,
  examples: []
}

/**
 * Facts from those that are known; the others are `unstated`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Facts } from "@wield/core"
 *
 * const facts = Facts.make({ isReadOnly: true, isDestructive: false })
 * assert.strictEqual(facts.isIdempotent, false)
 * assert.strictEqual(facts.isReadOnly, true)
 * ```
 *
 * @category constructors
 */
export const make = (known: Partial<Facts>): Facts => {
  orThrow(check(known), "What `Facts.make` takes")
  return {
    ...unstated,
    // Without `exactOptionalPropertyTypes` a fact can be given as `undefined`, which states nothing.
    ...withoutUndefined(known)
  }
}

/**
 * Whether a call may be made once more, whatever one before has done: it changes nothing, or nothing more.
 *
 * @category guards
 */
export const isRepeatable = ({ isIdempotent, isReadOnly }: Partial<Facts>): boolean =>
  isIdempotent === true || isReadOnly === true

const aDisclosure = oneOf("none", "endpoint", "any")

/**
 * What is wrong with facts that plain JavaScript states, if anything is.
 *
 * @category checks
 */
export const check: Check = fields({
  kind: oneOf("local", "api", "client", "provider"),
  title: aText,
  isReadOnly: aFlag,
  isDestructive: aFlag,
  isIdempotent: aFlag,
  isOpenWorld: aFlag,
  disclosure: aDisclosure,
  isSequential: aFlag,
  examples: list(holds("an object of arguments", isPlain))
} satisfies Checks<Facts>)

/**
 * A tool's facts as MCP's annotations state them; title and hints are all optional there.
 *
 * @category models
 */
export interface Annotations {
  readonly title?: string | undefined
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
  readonly idempotentHint?: boolean | undefined
  readonly openWorldHint?: boolean | undefined
}

/**
 * The facts that annotations state, with MCP's defaults: what changes nothing
 * destroys nothing, and may be called again.
 *
 * @category constructors
 */
export const ofAnnotations = ({
  destructiveHint,
  idempotentHint,
  openWorldHint,
  readOnlyHint,
  title
}: Annotations): Partial<Facts> => ({
  // They may come from a file or a stranger: a hint of another type states nothing.
  title: typeof title === "string" ? title : undefined,
  isReadOnly: readOnlyHint === true,
  isDestructive: readOnlyHint !== true && destructiveHint !== false,
  isIdempotent: readOnlyHint === true || idempotentHint === true,
  isOpenWorld: openWorldHint !== false
})

/**
 * Facts as MCP's annotations.
 *
 * @category conversions
 */
export const toAnnotations = ({ isDestructive, isIdempotent, isOpenWorld, isReadOnly, title }: Facts): Annotations => ({
  ...(title === undefined ? {} : { title }),
  readOnlyHint: isReadOnly,
  destructiveHint: isDestructive,
  idempotentHint: isIdempotent,
  openWorldHint: isOpenWorld
})

/**
 * Annotation: where the tool is executed. `client` makes every call of it a
 * deferred call.
 *
 * @category annotations
 */
export class ToolKind extends Context.Reference<ToolKind>()("@wield/core/Facts/ToolKind", {
  defaultValue: (): Kind => "local"
}) {}

/**
 * Annotation: who learns what the tool is given.
 *
 * @category annotations
 */
export class ToolDisclosure extends Context.Reference<ToolDisclosure>()("@wield/core/Facts/ToolDisclosure", {
  defaultValue: (): Disclosure => "any"
}) {}

/**
 * Annotation: within one batch of calls the tool runs alone.
 *
 * @category annotations
 */
export class Sequential extends Context.Reference<Sequential>()("@wield/core/Facts/Sequential", {
  defaultValue: (): boolean => false
}) {}

/**
 * Annotation: example arguments in encoded form.
 *
 * @category annotations
 */
export class Examples extends Context.Reference<Examples>()("@wield/core/Facts/Examples", {
  defaultValue: (): ReadonlyArray<JsonObject> => []
}) {}

/**
 * The part of a tool that can be annotated.
 *
 * @category models
 */
export interface Annotatable extends Tool.Any {
  annotate<I, S>(tag: Context.Tag<I, S>, value: S): Tool.Any
}

/**
 * A tool that a client executes: `Toolkit.toLayer` asks for no handler of it.
 *
 * The type says so in the words of `@effect/ai`, which knows of tools without
 * a handler by its provider-defined ones; at run time the tool is what it was.
 *
 * @category models
 */
export type Client<T extends Tool.Any> = T &
  Tool.ProviderDefined<
    Tool.Name<T>,
    {
      readonly args: Schema.Struct<{}>
      readonly parameters: Tool.ParametersSchema<T>
      readonly success: Tool.SuccessSchema<T>
      readonly failure: T["failureSchema"]
      readonly failureMode: T["failureMode"]
    },
    false
  >

/**
 * States that the tool is executed by the client: it needs no handler, and each
 * of its calls ends as `Deferred`. `Run.resume` takes the client's answer.
 *
 * @example
 * ```ts
 * import { Tool } from "@effect/ai"
 * import { Facts } from "@wield/core"
 * import { Schema } from "effect"
 *
 * const ShowChart = Tool.make("show_chart", { parameters: { title: Schema.String } }).pipe(
 *   Facts.client,
 *   Facts.disclosure("none"),
 *   Facts.examples({ title: "Sales" })
 * )
 * ```
 *
 * @category facts
 */
export const client = <T extends Tool.Any>(tool: T): Client<T> =>
  // The marks of a provider-defined tool exist in the type only.
  annotate(tool, ToolKind, "client") as Client<T>

/**
 * States that the tool runs alone within one batch of calls: the calls before
 * it finish first, the calls after it wait.
 *
 * @category facts
 */
export const sequential = <T extends Tool.Any>(tool: T): T => annotate(tool, Sequential, true)

/**
 * States who learns what the tool is given, for a mode in which nothing may
 * leave this machine: see `staysLocal`.
 *
 * @category facts
 */
export const disclosure = (learns: Disclosure): (<T extends Tool.Any>(tool: T) => T) => {
  orThrow(aDisclosure(learns), "What `Facts.disclosure` takes")
  return (tool) => annotate(tool, ToolDisclosure, learns)
}

/**
 * Which tools keep what they are given on this machine, for `Toolset.filter`:
 * those whose disclosure is `none`, and those whose disclosure is `endpoint`
 * where `isEndpointAllowed` says that this endpoint is a local one. A tool that
 * states nothing is left out.
 *
 * @category facts
 */
export const staysLocal = (options: StaysLocalOptions = {}): ((tool: Named) => boolean) => {
  orThrow(fields({ isEndpointAllowed: aFunction })(options), "What `Facts.staysLocal` takes")
  return (tool) =>
    tool.facts.disclosure === "endpoint"
      ? isYes(options.isEndpointAllowed?.(tool.name), "`isEndpointAllowed`")
      : tool.facts.disclosure === "none"
}

/**
 * How to say that a tool stays on this machine.
 *
 * @category models
 */
export interface StaysLocalOptions {
  /**
   * Whether the endpoint of a tool whose disclosure is `endpoint` is a local
   * one, by the tool's name. None unless given.
   */
  readonly isEndpointAllowed?: ((tool: string) => boolean) | undefined
}

interface Named {
  readonly name: string
  readonly facts: Facts
}

/**
 * States example arguments, in the form a model would send. Hidden fields that
 * an example has are not shown.
 *
 * @category facts
 */
export const examples =
  <T extends Tool.Any>(...all: ReadonlyArray<VisibleArguments<T> & JsonObject>) =>
  (tool: T): T =>
    annotate(tool, Examples, all)

const annotate = <T extends Tool.Any, I, S>(tool: T, tag: Context.Tag<I, S>, value: S): T => {
  // `Tool.Any` leaves out `annotate`, which every tool has; `annotate` keeps the
  // name, schemas and requirements, hence T.
  return (tool as unknown as Annotatable).annotate(tag, value) as T
}
