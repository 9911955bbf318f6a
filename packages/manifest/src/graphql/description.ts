/** What schemas and documents say about themselves, for a model to read. */
import { type ASTNode, type Token, TokenKind } from "graphql"

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

/** The description of a thing of a schema or a document; the comment above it where that is asked for. */
export const describe = (
  thing: { readonly description?: string | null | undefined; readonly astNode?: ASTNode | null | undefined },
  readsComments: boolean
): string | undefined => trimmed(thing.description) ?? (readsComments ? commentAbove(thing.astNode) : undefined)

/** What a model should know of a thing that is going away. */
export const withDeprecation = (
  description: string | undefined,
  reason: string | null | undefined
): string | undefined => {
  if (reason === null || reason === undefined) return description
  const note = `Deprecated: ${reason.trim()}`
  return description === undefined ? note : `${description}\n${note}`
}
