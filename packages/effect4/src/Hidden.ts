/**
 * Hidden fields: parameters that the application fills from the call context.
 * No model sees or sets them; the handler gets them, typed, among its parameters.
 */
import * as Context from "effect/Context"
import type * as Ai from "./internal/effectAi.js"

/**
 * @category type ids
 */
export declare const TypeId: unique symbol

/**
 * Marks a tool's type with the names of its hidden fields.
 *
 * @category models
 */
export interface Hidden<in Names extends string> {
  // Keys, so that marks add up.
  readonly [TypeId]: { readonly [Name in Names]: true }
}

/**
 * The annotation that carries the names at run time.
 *
 * @category annotations
 */
export const HiddenFields: Context.Reference<ReadonlyArray<string>> = Context.Reference<ReadonlyArray<string>>(
  "@wield/effect4/Hidden/HiddenFields",
  { defaultValue: () => [] }
)

/**
 * The names of the hidden fields of a tool.
 *
 * @category type-level
 */
export type Names<T> = T extends { readonly [TypeId]: infer Marks } ? keyof Marks & string : never

type Without<A, Keys> = { readonly [Key in keyof A as Key extends Keys ? never : Key]: A[Key] }

/**
 * The parameters of a tool that a model sees, as a program gives them.
 *
 * @category type-level
 */
export type VisibleParameters<T> = T extends Hidden<never> ? Without<Ai.Parameters<T>, Names<T>> : Ai.Parameters<T>

/**
 * The parameters of a tool that a model sees, as a model sends them.
 *
 * @category type-level
 */
export type VisibleArguments<T> =
  T extends Hidden<never> ? Without<Ai.ParametersEncoded<T>, Names<T>> : Ai.ParametersEncoded<T>

/**
 * The hidden fields of a tool, with the types that the call context must give
 * them (encoded form).
 *
 * @category type-level
 */
export type ContextOf<T> =
  T extends Hidden<never> ? Pick<Ai.ParametersEncoded<T>, Names<T> & keyof Ai.ParametersEncoded<T>> : {}

/**
 * Hides parameters of a tool from the model: `Hidden.fields(GetOrders,
 * "customerId")`. State it last: the setters of a tool forget it in the type.
 *
 * @category facts
 */
export const fields = <T extends Ai.AnyTool, const N extends keyof Ai.Parameters<T> & string>(
  tool: T,
  ...names: readonly [N, ...Array<N>]
): Hidden<N> & T =>
  // `annotate` keeps the schemas; the mark exists in the type only.
  tool.annotate(HiddenFields, [
    ...new Set([...Context.get(tool.annotations, HiddenFields), ...names])
  ]) as unknown as Hidden<N> & T
