/** An exported function, and what looks like one and cannot be a tool. */
import type ts from "typescript"

export type FunctionNode = ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction | ts.MethodDeclaration

export interface ExportedFunction {
  readonly kind: "function"
  readonly name: string
  readonly node: FunctionNode
  /** Where its documentation may stand: the first that has one counts. */
  readonly documented: ReadonlyArray<ts.Node>
  readonly isCommonJs: boolean
}

/** Something of a name that a tool could have, and why it is not a tool. */
export interface Refused {
  readonly kind: "refused"
  readonly name: string
  readonly node: ts.Node
  readonly rule: string
  readonly message: string
}

export type Export = ExportedFunction | Refused

export const refuse = (name: string, node: ts.Node, rule: string, message: string): Refused => ({
  kind: "refused",
  name,
  node,
  rule,
  message
})

export const classOf = (name: string, node: ts.Node): Refused =>
  refuse(name, node, "not-a-function", `${name} is a class, which cannot be called as a tool: write a function`)
