/** Defaults of type parameters, `def run[T = str](…)` (Python 3.13, PEP 696), which the grammar does not know. */
import type { Node, Parse } from "../syntax/treeSitter.js"

/**
 * Parses a text as though its defaults were bounds, which to a schema is the
 * same: what the parameter stands for unless more is said. Every character
 * stays where it is, so places do, too.
 */
export const withTypeDefaults =
  (parse: Parse): Parse =>
  (text) => {
    const tree = parse(text)
    const sign = tree.rootNode.hasError ? unknownSign(tree.rootNode) : undefined
    if (sign === undefined) return tree
    // One at a time, for what the parser makes of the text after the first is a guess.
    return withTypeDefaults(parse)(text.slice(0, sign.at) + sign.instead + text.slice(sign.at + 1))
  }

/** The first `=` in the brackets of type parameters, and what to read in its place. */
const unknownSign = (root: Node): { readonly at: number; readonly instead: string } | undefined => {
  for (const brackets of root.descendantsOfType("type_parameter")) {
    if (brackets === null || !brackets.hasError) continue
    for (const error of brackets.descendantsOfType("ERROR")) {
      const sign = error?.children.find((child) => child?.type === "=")
      if (error === null || sign === undefined || sign === null) continue
      // `T: int = bool` stands for either; `*Ts` and `**P` stand for no value's type.
      const instead = error.parent?.type === "constrained_type" ? "|" : ":"
      return isPlain(error) ? { at: sign.startIndex, instead } : undefined
    }
  }
  return undefined
}

const isPlain = (error: Node): boolean => error.descendantsOfType(["list_splat", "splat_type"]).length === 0
