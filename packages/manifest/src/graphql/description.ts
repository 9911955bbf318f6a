/** What schemas and documents say about themselves, for a model to read. */
import { type ASTNode, type GraphQLInputField, isRequiredInputField, type Token, TokenKind } from "graphql"

/** The comment lines directly above a node, as Acorn and older servers read them. */
const commentAbove = (node: ASTNode | null | undefined): string | undefined => {
  const lines: Array<string> = []
  let line = node?.loc?.startToken.line
  let token: Token | null | undefined = node?.loc?.startToken.prev
  while (token?.kind === TokenKind.COMMENT && line !== undefined && token.line === line - 1) {
    // A comment behind something else belongs to that.
    if (token.prev?.line === token.line) break
    lines.unshift(token.value)
    line = token.line
    token = token.prev
  }
  return lines.length === 0 ? undefined : trimmed(lines.join("\n"))
}

const trimmed = (text: string | null | undefined): string | undefined => {
  const rest = text
    ?.split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim()
  return rest === undefined || rest === "" ? undefined : rest
}

export const describe = (
  thing: { readonly description?: string | null | undefined; readonly astNode?: ASTNode | null | undefined },
  { commentDescriptions }: { readonly commentDescriptions: boolean }
): string | undefined => trimmed(thing.description) ?? (commentDescriptions ? commentAbove(thing.astNode) : undefined)

interface Deprecable {
  readonly deprecationReason?: string | null | undefined
}

export const isDeprecated = ({ deprecationReason }: Deprecable): boolean => typeof deprecationReason === "string"

/** Inputs that are taken: all, or those that are required or not deprecated. */
export const takenInputs = <A extends GraphQLInputField>(
  inputs: ReadonlyArray<A>,
  { deprecated }: { readonly deprecated: boolean }
): ReadonlyArray<A> => inputs.filter((input) => deprecated || !isDeprecated(input) || isRequiredInputField(input))

export const withDeprecation = (
  description: string | undefined,
  { deprecationReason: reason }: Deprecable
): string | undefined => {
  const note = typeof reason === "string" ? `Deprecated: ${reason.trim()}` : undefined
  return description !== undefined && note !== undefined ? `${description}\n${note}` : (description ?? note)
}
