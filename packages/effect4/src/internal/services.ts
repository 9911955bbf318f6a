/** What of an application on Effect 4 goes along with an effect of Effect 3. */
import { Context as Context3, Tracer as Tracer3 } from "@wield/effect3"
import * as Context from "effect/Context"
import type * as Tracer from "effect/Tracer"

/** What of the calling fiber of Effect 4 a handler gets: its services, references and span. */
export class Services extends Context3.Reference<Services>()("@wield/effect4/Services", {
  defaultValue: (): Context.Context<never> => Context.empty()
}) {}

/** The span of Effect 4 that one of 3 stands for. */
export const spans = new WeakMap<Tracer3.AnySpan, Tracer.AnySpan>()

/** The span that a handler's own are children of, where Wield has opened one. */
export const spanIn = (context: Context3.Context<never>): Tracer.AnySpan | undefined => {
  const span: Tracer3.AnySpan | undefined = context.unsafeMap.get(Tracer3.ParentSpan.key)
  return span === undefined ? undefined : spans.get(span)
}
