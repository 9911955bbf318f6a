/**
 * Hidden fields: parameters that the application fills from the call context.
 * They are absent from the definition, so a model neither sees nor sets them;
 * the handler receives them, typed, among its parameters.
 */
import type * as Tool from "@effect/ai/Tool"
import * as Context from "effect/Context"
import type * as Types from "effect/Types"

/**
 * @category type ids
 */
export declare const TypeId: unique symbol

/**
 * Marks a tool's type with the names of its hidden fields.
 *
 * `annotate` is repeated so that the mark is not lost when more facts are
 * stated afterwards.
 *
 * @category models
 */
export interface Hidden<in Names extends string> {
  // Keys, so that the marks of one application add to those of another.
  readonly [TypeId]: { readonly [Name in Names]: true }
  annotate<I, S>(tag: Context.Tag<I, S>, value: S): this
  annotateContext<I>(context: Context.Context<I>): this
}

/**
 * The annotation that carries the names at run time.
 *
 * @category annotations
 */
export class HiddenFields extends Context.Reference<HiddenFields>()("@wield/core/Hidden/HiddenFields", {
  defaultValue: (): ReadonlyArray<string> => []
}) {}

/**
 * The names of the hidden fields of a tool.
 *
 * @category type-level
 */
export type Names<T> = T extends { readonly [TypeId]: infer Marks } ? keyof Marks & string : never

/**
 * The parameters of a tool that a model sees, as a program gives them.
 *
 * @category type-level
 */
export type VisibleParameters<T> =
  T extends Hidden<never> ? Types.Simplify<Omit<Tool.Parameters<T>, Names<T>>> : Tool.Parameters<T>

/**
 * The parameters of a tool that a model sees, as a model sends them.
 *
 * @category type-level
 */
export type VisibleArguments<T> =
  T extends Hidden<never> ? Types.Simplify<Omit<Tool.ParametersEncoded<T>, Names<T>>> : Tool.ParametersEncoded<T>

/**
 * The hidden fields of a tool with the types that the call context must give
 * them (encoded form).
 *
 * @category type-level
 */
export type ContextOf<T> =
  T extends Hidden<never> ? Pick<Tool.ParametersEncoded<T>, Names<T> & keyof Tool.ParametersEncoded<T>> : {}

/**
 * Hides parameters of a tool from the model. State it last, or before further
 * `annotate` calls; the other setters of a tool forget it in the type. Stated
 * again, it hides further parameters.
 *
 * @example
 * ```ts
 * import { Tool } from "@effect/ai"
 * import { Hidden } from "@wield/core"
 * import { Schema } from "effect"
 *
 * const parameters = { customerId: Schema.String, status: Schema.Literal("open", "shipped") }
 * const GetOrders = Tool.make("get_orders", { parameters }).pipe(Hidden.fields("customerId"))
 * const visible: Hidden.VisibleParameters<typeof GetOrders> = { status: "open" }
 * const context: Hidden.ContextOf<typeof GetOrders> = { customerId: "c_42" }
 * ```
 *
 * @category facts
 */
export const fields =
  <T extends Tool.Any, const N extends keyof Tool.Parameters<T> & string>(...names: readonly [N, ...Array<N>]) =>
  (tool: T): Hidden<N> & T => {
    // Every tool has `annotate`, though `Tool.Any` leaves it out; it keeps the
    // schemas, and the mark exists in the type only.
    const annotatable = tool as unknown as {
      annotate(tag: typeof HiddenFields, value: ReadonlyArray<string>): Hidden<N> & T
    }
    // A provider-defined tool has no annotations in @effect/ai 0.37.
    const before = tool.annotations === undefined ? [] : Context.get(tool.annotations, HiddenFields)
    return annotatable.annotate(HiddenFields, [...new Set([...before, ...names])])
  }
