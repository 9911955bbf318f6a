/**
 * What the source of a function file says: its declarations, where they can be
 * known without running it, and whether `execute` can be called.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import { type Binding, moduleOf } from "../python/module.js"
import type { NotLiteral } from "../python/notLiteral.js"
import { syntaxErrorOf } from "../python/syntaxErrors.js"
import type { Place, Problem } from "@wield/core/Problem"
import { placeOf } from "../syntax/placeOf.js"
import type { Node, Tree } from "../syntax/treeSitter.js"
import { type Branches, branchesOf } from "./branches.js"
import { constantsOf } from "./constants.js"
import { evaluate } from "./evaluate.js"
import { executeProblems } from "./execute.js"
import type { Located } from "./Located.js"
import { returnProblems } from "./returns.js"

/** What a file declares of itself. */
export type Declaration = "ENABLED" | "AVAILABLE_FUNCTIONS" | "TOOLS"

/** A declaration: not there, known, or known only to whoever runs the file. */
export type Declared =
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Known"; readonly located: Located }
  | { readonly _tag: "Unknown"; readonly reason: NotLiteral; readonly place: Place }

export interface Source {
  readonly declarations: { readonly [name in Declaration]: Declared }
  /** Of `execute`: errors, with which no function can be called. */
  readonly problems: ReadonlyArray<Problem>
  /** Of `execute`: calls that will fail. */
  readonly warnings: ReadonlyArray<Problem>
  readonly branches: Branches | undefined
}

export const sourceOf = (
  file: string,
  text: string,
  parse: (text: string) => Effect.Effect<Tree, never, Scope.Scope>
): Effect.Effect<Either.Either<Source, Problem>> =>
  Effect.map(parse(text), ({ rootNode }): Either.Either<Source, Problem> => {
    const syntaxError = syntaxErrorOf(rootNode, file)
    if (syntaxError !== undefined) return Either.left(syntaxError)
    const module = moduleOf(rootNode)
    const constants = constantsOf(rootNode, module)
    const execute = module.bindings.get("execute")
    const declared = (name: Declaration): Declared => {
      const binding = module.bindings.get(name)
      if (binding === undefined) return { _tag: "Absent" }
      const place = placeOfBinding(binding, rootNode)
      const constant = constants.get(name)
      if (constant === undefined) return { _tag: "Unknown", reason: changing(name, binding, place), place }
      return Either.match(evaluate(constant, constants), {
        onLeft: (reason) => ({ _tag: "Unknown", reason, place }) as const,
        onRight: (located) => ({ _tag: "Known", located }) as const
      })
    }
    return Either.right({
      declarations: {
        ENABLED: declared("ENABLED"),
        AVAILABLE_FUNCTIONS: declared("AVAILABLE_FUNCTIONS"),
        TOOLS: declared("TOOLS")
      },
      problems: executeProblems(file, execute),
      warnings: returnProblems(file, execute),
      branches: branchesOf(rootNode, execute)
    })
  }).pipe(Effect.scoped)

const placeOfBinding = (binding: Binding, root: Node): Place =>
  "node" in binding ? placeOf(binding.node) : placeOf(root)

const changing = (name: Declaration, binding: Binding, place: Place): NotLiteral => ({
  what:
    binding.kind === "value"
      ? `\`${name}\`, which is bound or changed in more than one place`
      : `what is imported or made`,
  place
})
