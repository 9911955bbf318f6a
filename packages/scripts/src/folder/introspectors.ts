/**
 * What each language's introspection is, loaded when the first file of the
 * language is met: parsers are large, and a program without such a file does
 * not pay for them.
 */
import * as Effect from "effect/Effect"
import type { Language } from "../Script.js"
import type { Introspected, Source } from "../syntax/Source.js"

export type IntrospectLanguage = (source: Source) => Effect.Effect<Introspected>

export type Introspectors = { readonly [language in Language]: Effect.Effect<IntrospectLanguage> }

const python = Effect.gen(function* () {
  const { introspectPython } = yield* Effect.promise(() => import("../python/introspect.js"))
  return yield* introspectPython
})

const bash = Effect.gen(function* () {
  const { introspectBash } = yield* Effect.promise(() => import("../bash/introspect.js"))
  return yield* introspectBash
})

const javascript = Effect.gen(function* () {
  const { introspectJavaScript } = yield* Effect.promise(() => import("../javascript/introspect.js"))
  return yield* introspectJavaScript
})

/** TypeScript and JavaScript share a parser. */
export const introspectors: Effect.Effect<Introspectors> = Effect.gen(function* () {
  const shared = yield* Effect.cached(javascript)
  return {
    python: yield* Effect.cached(python),
    bash: yield* Effect.cached(bash),
    typescript: shared,
    javascript: shared
  }
})
