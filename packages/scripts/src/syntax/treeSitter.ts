/** Parsers of tree-sitter's WebAssembly build, with the grammars of their packages. */
import { createRequire } from "node:module"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Language, Parser, type Tree } from "web-tree-sitter"

export type { Node, Tree } from "web-tree-sitter"

export type Grammar = "python" | "bash"

const require = createRequire(import.meta.url)

/** Parses texts of one language. The grammar is loaded once; each tree is freed when its scope closes. */
export type Parse = (text: string) => Effect.Effect<Tree, never, Scope.Scope>

export const parserOf = (grammar: Grammar): Effect.Effect<Parse> =>
  Effect.promise(() => loadLanguage(grammar)).pipe(
    Effect.map(
      (language): Parse =>
        (text) =>
          Effect.acquireRelease(
            Effect.sync(() => {
              const parser = new Parser().setLanguage(language)
              // null is given for a parser without a language and for a parse that was stopped: neither can be here.
              const tree = parser.parse(text) as Tree
              parser.delete()
              return tree
            }),
            (tree) => Effect.sync(() => tree.delete())
          )
    )
  )

let loaded: Promise<unknown> | undefined

/** One after the other: two that are loaded at once can get the same memory (seen with Bun). */
const loadLanguage = (grammar: Grammar): Promise<Language> => {
  const language = (loaded ?? Parser.init()).then(() =>
    Language.load(require.resolve(`tree-sitter-${grammar}/tree-sitter-${grammar}.wasm`))
  )
  loaded = language.catch(() => undefined)
  return language
}
