/**
 * What a toolset is: a live collection of entries, one per tool, whatever they
 * were made from, and news of changes to their definitions. Every source makes
 * one, every combinator wraps one, the runner runs one.
 */
import type * as Tool from "@effect/ai/Tool"
import type { Context, Effect, Schema, Stream, Types } from "effect"
import { isEffect } from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Pipeable, pipeArguments } from "effect/Pipeable"
import type * as Content from "../Content.js"
import type { CallContextWith } from "../CallContext.js"
import type * as Hidden from "../Hidden.js"
import type { ToolDefinition } from "../ToolDefinition.js"
import type { Convert } from "../internal/codec.js"
import { show } from "../Issue.js"
import { isObject } from "../Json.js"
import type { HiddenCodec } from "./hidden.js"

export const TypeId: unique symbol = Symbol.for("@wield/core/Toolset")

/**
 * One tool of a toolset, ready to be run: everything that can be derived from
 * the tool is derived once and kept here.
 */
export interface Entry {
  readonly definition: ToolDefinition
  /** The visible parameters as a schema of Effect, where they are one. Tests make arguments from it. */
  readonly parameters?: Schema.Schema.All | undefined
  /** Decodes the visible arguments, ignoring or rejecting unknown ones. */
  readonly decode: Convert
  readonly decodeStrict: Convert
  /** Encodes visible parameters, for calls that a program makes. */
  readonly encode: Convert
  readonly hidden: HiddenCodec | undefined
  /** The last check of the parameters, hidden ones included; it gives what the handler gets. */
  readonly validate?: Convert | undefined
  /** Absent for a tool that a client or the provider executes. */
  readonly handler: ((parameters: unknown) => Effect.Effect<unknown, unknown>) | undefined
  /** The handler layer's context. */
  readonly context: Context.Context<never> | undefined
  readonly encodeSuccess: Convert
  readonly encodeFailure: Convert
  readonly decodeSuccess: Convert
  readonly decodeFailure: Convert
  /** Whether a typed failure is raised (failureMode "error") or goes to the model. */
  readonly isRaising: boolean
  /** Every success is content of several parts; of others, one that is a `Content.Answer` is. */
  readonly isContent: boolean
  /** No result is kept for an equal call, or shortened. */
  readonly isFresh?: boolean | undefined
  /** What the model reads of a success, where the tool says it. */
  readonly content?: ((result: unknown) => ReadonlyArray<Content.Part> | undefined) | undefined
}

/** The tools that are offered for one request, and those that exist but are not. */
export interface Offer {
  readonly entries: ReadonlyMap<string, Entry>
  readonly withheld: ReadonlyMap<string, Entry>
}

/** Which definitions were added, removed or altered. */
export interface Change {
  readonly added: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  readonly altered: ReadonlyArray<string>
}

/** The key of a toolset's tools under which it says that it has tools whose names only the run time knows. */
export declare const Dynamic: unique symbol

/** The tools of a toolset whose names only the run time knows. */
export interface DynamicTools {
  readonly [Dynamic]: true
}

/** A name of one of the tools; any text, where only the run time knows them all. */
export type NameOf<Tools> = Tools extends DynamicTools
  ? (keyof Tools & string) | (string & {})
  : unknown extends Tools
    ? string
    : keyof Tools & string

/** The type that a wrong name of a tool is compared with. Nothing has it, so that the compiler's message names both. */
export interface NoSuchTool<Name, Known> {
  readonly "no such tool": Name
  readonly "the tools are": Known
}

/**
 * `Tools` maps the names that the compiler knows to @effect/ai tools; `R` is
 * what a request must provide; `E` is how an offer can fail, which only
 * toolsets with names unknown to the compiler can.
 */
export interface Toolset<out Tools, out R = never, out E = never> extends Pipeable {
  readonly [TypeId]: {
    readonly _Tools: Types.Covariant<Tools>
    readonly _R: Types.Covariant<R>
  }
  /** What is offered now, to the current call context. */
  readonly offer: Effect.Effect<Offer, E>
  /** Changes of definitions from now on; ends when nothing can change any more. */
  readonly changes: Stream.Stream<Change>
}

export type Any = Toolset<unknown, unknown, unknown>

const variance = { _Tools: (_: never) => _, _R: (_: never) => _ }

const Proto = {
  [TypeId]: variance,
  pipe() {
    return pipeArguments(this, arguments)
  }
}

/** The types are the caller's claim: what `offer` yields is erased. `from` is what a combinator was given. */
export const make = <Tools, R = never, E = never>(
  parts: {
    readonly offer: Effect.Effect<Offer, E>
    readonly changes: Stream.Stream<Change>
  },
  from?: object
): Toolset<Tools, R, E> => {
  const made = Object.assign(Object.create(Proto), parts)
  if (from !== undefined) sources.set(made, sourceOf(from))
  return made
}

const sources = new WeakMap<object, object>()

/** What a toolset was made from by combinators: it stays the same where they are used again for each request. */
export const sourceOf = (toolset: object): object => sources.get(toolset) ?? toolset

/** Plain JavaScript may give a toolkit, a list of tools or a promise: a `TypeError` says so before a call is lost to it. */
export const checkToolset = (who: string, given: unknown): void => {
  // An effect of a toolset has no offer either.
  if (!isObject(given) || !isEffect(given["offer"])) {
    throw new TypeError(
      `${who} must be a toolset, such as \`yield* Toolset.fromToolkit(…)\` gives, but is ${show(given)}`
    )
  }
}

export const noneWithheld: Offer["withheld"] = new Map()

/** The requirements of the tools of a toolkit beyond their handlers. */
export type RequirementsOf<Tools> = { readonly [Name in keyof Tools]: Tool.Requirements<Tools[Name]> }[keyof Tools]

/** The hidden fields of all tools, as the call context must hold them. */
export type ContextOf<Tools> = Types.Simplify<
  Types.UnionToIntersection<
    { readonly [Name in keyof Tools & string]: Hidden.ContextOf<Tools[Name]> }[keyof Tools & string]
  >
>

/** The fields that the call context must hold: a hidden field that may be absent is not among them. */
type RequiredFields<Context> = {
  readonly [Field in keyof Context]-?: {} extends Pick<Context, Field> ? never : Field
}[keyof Context] &
  string

/** What calls outside of a run require of what is around them. */
export type NeededContext<Tools> = [RequiredFields<ContextOf<Tools>>] extends [never]
  ? never
  : CallContextWith<RequiredFields<ContextOf<Tools>>>

/** The offer of a toolset that cannot change and asks nothing of the request. */
export const knownOffer = (self: { readonly offer: Effect.Effect<Offer, unknown> }): Offer | undefined =>
  Exit.isExit(self.offer) && Exit.isSuccess(self.offer) ? (self.offer.value as Offer) : undefined
