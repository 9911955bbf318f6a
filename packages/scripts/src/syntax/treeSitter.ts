/** Parsers of tree-sitter's WebAssembly build, with the grammars of their packages. */
import { createRequire } from "node:module"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Language, Parser, type Tree } from "web-tree-sitter"

export type { Node, Tree } from "web-tree-sitter"

export type Grammar = "python" | "bash"

const require = createRequire(import.meta.url)

/** Parses a text; the tree lives as long as the scope that the parser was made in. */
export type Parse = (text: string) => Tree

/** Loads a grammar, once; what it gives makes parsers. */
export const parserOf = (grammar: Grammar): Effect.Effect<Effect.Effect<Parse, never, Scope.Scope>> =>
  Effect.map(
    Effect.promise(() => loadLanguage(grammar)),
    (language) =>
      Effect.acquireRelease(
        Effect.sync(() => ({ parser: new Parser().setLanguage(language), trees: new Array<Tree>() })),
        ({ parser, trees }) => Effect.sync(() => [...trees, parser].forEach((one) => one.delete()))
      ).pipe(
        Effect.map(({ parser, trees }): Parse => (text) => {
          // null is given for a parser without a language and for a parse that was stopped: neither can be here.
          const tree = parser.parse(text) as Tree
          trees.push(tree)
          return tree
        })
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
