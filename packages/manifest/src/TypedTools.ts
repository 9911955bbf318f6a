/** The handlers of a generated toolkit: each calls the tool of its name, whatever that was made from. */
import type * as AiTool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import type { Toolset } from "@wield/core"
import * as CallContext from "@wield/core/CallContext"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/**
 * The schema of parameters by its type alone, which the compiler need not work out.
 *
 * @category models
 */
export interface ParametersSchema<Parameters> extends Schema.Schema<Parameters> {
  readonly fields: Schema.Struct.Fields
  readonly make: (parameters: Parameters) => Parameters
}

/**
 * A generated tool, with types that the compiler need not work out of its schemas.
 *
 * @category models
 */
export interface Tool<Name extends string, Parameters, Result> extends AiTool.Tool<
  Name,
  {
    readonly parameters: ParametersSchema<Parameters>
    readonly success: Schema.Schema<Result>
    readonly failure: typeof Schema.Unknown
    readonly failureMode: "return"
  }
> {}

/**
 * Runs a tool by its name with valid arguments, hidden fields included.
 *
 * @category models
 */
export type Execute<R = never> = (
  name: string,
  parameters: { readonly [name: string]: unknown }
) => Effect.Effect<unknown, unknown, R>

/**
 * What runs the tools: what `Manifest.toTools` gives, or a function.
 *
 * @category models
 */
export type Source<R = never> = Iterable<Toolset.DynamicTool<R>> | Execute<R>

/**
 * Tools of the toolkit that the source does not have.
 *
 * @category errors
 */
export class MissingTools extends Schema.TaggedError<MissingTools>("@wield/manifest/MissingTools")("MissingTools", {
  names: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `There is nothing to run ${this.names.join(", ")}: the module was generated from other tools; generate it again`
  }
}

/**
 * A layer of handlers that call the tools of a source. What a tool answers is
 * checked by its schema when the runner encodes it; an answer that it does not
 * fit ends the call as `InvalidResult`.
 *
 * Fails with `MissingTools` when the source lacks tools of the toolkit.
 *
 * @example
 * ```ts
 * import { Tool, Toolkit } from "@effect/ai"
 * import { Toolset } from "@wield/core"
 * import { Manifest, TypedTools } from "@wield/manifest"
 * import { Effect, Schema } from "effect"
 *
 * // As a generated module has it.
 * class Tools extends Toolkit.make(Tool.make("double", { parameters: { n: Schema.Number }, success: Schema.Number })) {}
 *
 * export const toolset = (manifest: Manifest.Manifest) =>
 *   Effect.flatMap(Manifest.toTools(manifest), (tools) => Toolset.fromLayer(Tools, TypedTools.layer(Tools, tools)))
 * ```
 *
 * @category constructors
 */
export const layer = <Tools extends { readonly [name: string]: AiTool.Any }, R = never>(
  toolkit: Toolkit.Toolkit<Tools>,
  source: Source<R>
): Layer.Layer<AiTool.HandlersFor<Tools>, MissingTools, R> => {
  const names = Object.keys(toolkit.tools)
  const handlers = Effect.gen(function* () {
    const context = CallContext.withoutCallContext(yield* Effect.context<R>())
    const execute = typeof source === "function" ? source : yield* byName(source, names)
    return Object.fromEntries(
      names.map((name) => [
        name,
        (parameters: { readonly [name: string]: unknown }) =>
          execute(name, parameters ?? {}).pipe(Effect.mapError(encodeFailure), Effect.provide(context))
      ])
    )
  })
  // The names are the toolkit's; what a handler gives is checked by the tool's schemas when it is encoded.
  return toolkit.toLayer(handlers as never)
}

const byName = <R>(
  source: Iterable<Toolset.DynamicTool<R>>,
  names: ReadonlyArray<string>
): Effect.Effect<Execute<R>, MissingTools> => {
  const tools = new Map([...source].map((tool) => [tool.name, tool]))
  const missing = names.filter((name) => !tools.has(name))
  return missing.length > 0
    ? Effect.fail(new MissingTools({ names: missing }))
    : Effect.succeed(
        (name, parameters) => tools.get(name)?.execute(parameters) ?? Effect.die(`there is no tool ${name}`)
      )
}

/** An error's message is meant for the model; its stack and its class are not. */
const encodeFailure = (failure: unknown): unknown => (failure instanceof Error ? { error: failure.message } : failure)
