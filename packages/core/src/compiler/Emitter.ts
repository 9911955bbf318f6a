/**
 * The source of one generated function while it is written: its lines, the
 * values it refers to, and the functions it calls for unions and recursion.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as SchemaTree from "../SchemaTree.js"

/** Decoding goes from the encoded side to the type side, encoding back. */
export type Direction = "decode" | "encode"

/** What happens to properties that a struct does not name; as in Effect Schema. */
export type Excess = "ignore" | "error"

/** What generated code returns for a value that it cannot show to be valid. */
export const failed: unique symbol = Symbol("failed")

/** Beyond so many nodes, the rest is left to the interpreter: generated code has to stay small. */
const maxNodes = 5000

/** Writes one node; the kinds of nodes refer to each other through it. */
export type Emit = (emitter: Emitter, ast: SchemaTree.Node, direction: Direction, input: string) => string

export class Emitter {
  readonly values: Array<unknown>
  readonly #names = new Map<unknown, string>()
  readonly #functions = new Map<string, string>()
  readonly #compiled = { decode: new Map<SchemaTree.Node, string>(), encode: new Map<SchemaTree.Node, string>() }
  #count = 0
  #nodes = 0
  #lines: Array<string> = []

  readonly #emit: Emit

  constructor(
    readonly excess: Excess,
    emit: Emit
  ) {
    this.#emit = emit
    this.values = [failed, Object.hasOwn, { errors: "all", onExcessProperty: excess }]
  }

  /** A statement. */
  line(text: string): void {
    this.#lines.push(text)
  }

  /** A new variable that holds an expression's value. */
  variable(expression: string, prefix = "v"): string {
    const name = `${prefix}${this.#count++}`
    this.line(`let ${name} = ${expression}`)
    return name
  }

  /** A name for a value that source code cannot say. */
  value(value: unknown): string {
    let name = this.#names.get(value)
    if (name === undefined) {
      name = `d[${this.values.push(value) - 1}]`
      this.#names.set(value, name)
    }
    return name
  }

  /** Gives up on the value; the interpreter then says what is wrong with it. */
  failIf(condition: string): void {
    this.line(`if (${condition}) return F`)
  }

  /** How many suspended schemas the current node is in. */
  suspended = 0

  /** Writes what is within a suspended schema. */
  within(write: () => string): string {
    this.suspended++
    const result = write()
    this.suspended--
    return result
  }

  /** Whether there is still room for a node. */
  hasRoom(): boolean {
    return ++this.#nodes <= maxNodes
  }

  /** The expression of a node's result, after the statements that check and convert the value. */
  emit(ast: SchemaTree.Node, direction: Direction, input: string): string {
    return this.#emit(this, ast, direction, input)
  }

  /** The name of a function for a node: for recursion, and for members of a union, which may fail without the whole failing. */
  functionOf(ast: SchemaTree.Node, direction: Direction): string {
    const known = this.#compiled[direction].get(ast)
    if (known !== undefined) return known
    const name = `f${this.#count++}`
    this.#compiled[direction].set(ast, name)
    const outer = this.#lines
    this.#lines = []
    const result = this.emit(ast, direction, "i")
    this.#functions.set(name, `function ${name}(i) {\n${this.#lines.join("\n")}\nreturn ${result}\n}`)
    this.#lines = outer
    return name
  }

  /** The source of a module that returns the named function. `d` holds the values. */
  source(entry: string): string {
    return `"use strict";\nconst F = d[0], own = d[1], o = d[2];\n${[...this.#functions.values()].join("\n")}\nreturn ${entry}`
  }
}

/** A property's access in source code; symbols have to be referred to. */
export const key = (emitter: Emitter, name: PropertyKey): string =>
  typeof name === "symbol" ? emitter.value(name) : JSON.stringify(String(name))

/** A property's name in an object literal. A literal name lets the engine lay the object out in advance. */
export const field = (emitter: Emitter, name: PropertyKey): string =>
  typeof name === "symbol" ? `[${emitter.value(name)}]` : JSON.stringify(String(name))

/** A node that is left to Effect's interpreter. */
export const emitInterpreted = (
  emitter: Emitter,
  ast: SchemaTree.Node,
  direction: Direction,
  input: string
): string => {
  const schema = Schema.make<unknown, unknown, never>(ast)
  const options = { errors: "all", onExcessProperty: emitter.excess } as const
  const parse = direction === "decode" ? SchemaTree.decode(schema, options) : SchemaTree.encode(schema, options)
  const interpret = (value: unknown): unknown => {
    const result = parse(value)
    // What is effectful is not run here: the whole value goes to the interpreter then.
    return Either.isEither(result) && Either.isRight(result) ? result.right : failed
  }
  const result = emitter.variable(`${emitter.value(interpret)}(${input})`)
  emitter.failIf(`${result} === F`)
  return result
}
