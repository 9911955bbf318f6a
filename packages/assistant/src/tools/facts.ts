/** What the tools of the assistant have in common: parameters, whose rows they are about, and what they do. */
import * as Tool from "@effect/ai/Tool"
import * as Hidden from "@wield/core/Hidden"
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"

export const textOf = (description: string) => Schema.String.annotations({ description })

/** A whole number from 1 that a model may leave out. */
export const countUpTo = (most: number, description: string) =>
  Schema.optional(Schema.Int.pipe(Schema.between(1, most)).annotations({ description }))

/** What a tool fails with; the model reads it. */
export const failsWith = <const Failures extends ReadonlyArray<Schema.Schema.All>>(...failures: Failures) =>
  ({ failure: Schema.Union(...failures), failureMode: "return" }) as const

const hide =
  <const N extends string>(...names: readonly [N, ...Array<N>]) =>
  <I>(facts: Context.Context<I>) =>
  <
    T extends Tool.Any & { readonly parametersSchema: { readonly fields: { readonly [Name in N]: Schema.Schema.All } } }
  >(
    tool: T
  ): Hidden.Hidden<N> & T => {
    // The constraint has each of the names among the tool's parameters, which the compiler does not work out of it.
    const hideFields = Hidden.fields as (...names: ReadonlyArray<N>) => (tool: T) => Hidden.Hidden<N> & T
    return hideFields(...names)(tool).annotateContext(facts)
  }

/** A tool over a user's rows, with what it does. */
export const ofUser = hide("user_id")

/** A tool over what is in the current context, with what it does. */
export const ofConversation = hide("user_id", "conversation_id")

const harmless = Context.make(Tool.Destructive, false)

export const readsWeb = Context.add(harmless, Tool.Readonly, true)

/** Looks at what the application holds. */
export const reads = Context.add(readsWeb, Tool.OpenWorld, false)

/** Writes something new each time: calling it twice makes two. */
export const adds = Context.add(harmless, Tool.OpenWorld, false)

/** Writes, and a second call changes nothing more. */
export const sets = Context.add(adds, Tool.Idempotent, true)

export const deletes = Context.make(Tool.Idempotent, true).pipe(Context.add(Tool.OpenWorld, false))
