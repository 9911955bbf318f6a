/** The whole module: what it imports, its definitions, its tools, and the layer of their handlers. */
import * as JsonPointer from "@wield/core/JsonPointer"
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as JsonSchema from "@wield/core/JsonSchema"
import { InvalidTool, ToolNameCollision } from "@wield/core/ToolsetError"
import * as Effect from "effect/Effect"
import { call, type Doc, list, members, print } from "./Doc.js"
import { expression, type Refer } from "./expression.js"
import { comment, typeKeyOf } from "./literal.js"
import { type Generating, type ToolCode, toolCode } from "./tool.js"
import { type TakeName, unusedName } from "../openapi/names.js"
import { objectType, typeOf } from "./type.js"
import { type Node, referencesOf } from "./Node.js"
import * as Either from "effect/Either"
import { lookup } from "../openapi/reference.js"
import { read as readNode, type ReadOptions } from "./read.js"

export const moduleOf = (tools: ReadonlyArray<Generating>, about: string) =>
  Effect.gen(function* () {
    const names = tools.map(({ name }) => name)
    const repeated = names.filter((name, index) => names.indexOf(name) !== index)
    if (repeated.length > 0) return yield* new ToolNameCollision({ names: [...new Set(repeated)] })
    const compile = yield* JsonSchema.compiler
    const takeName = makeIdentifiers()
    const ofTools = tools.map((tool) => takeName(tool.name))
    const ofParameters = ofTools.map((name) => takeName(`${name}Parameters`))
    const definitions = makeDefinitions(takeName)
    const known: KnownDefaults = new Map()
    const read = (root: Json.JsonSchema) =>
      Effect.map(validDefaults(root, compile, known), (isValid) => ({
        root,
        isValid,
        nameOf: definitions.namesOf(root, isValid)
      }))
    const normalised = (name: string, schema: Json.JsonSchema) =>
      Effect.mapBoth(compile(schema), {
        onSuccess: (validator) => validator.schema,
        onFailure: (error) => new InvalidTool({ tool: name, reason: error.message })
      })
    const codes: Array<ToolCode & { readonly tool: Generating }> = []
    for (const [index, tool] of tools.entries()) {
      const parameters = yield* read(yield* normalised(tool.name, tool.parameters))
      // No value is validated by it, so it is not compiled.
      const result = tool.result === undefined ? undefined : yield* read(tool.result)
      codes.push({ tool, ...toolCode(tool, ofTools[index] ?? "", ofParameters[index] ?? "", parameters, result) })
    }
    const declared = ordered(definitions.all())
    const losses = [...declared.flatMap(({ definition }) => definition.losses), ...codes.flatMap((code) => code.losses)]
    const typeOfTools = members(
      tools.map(({ name }, index) => `readonly ${typeKeyOf(name)}: typeof ${ofTools[index] ?? ""}`)
    )
    const body = [
      ...declared.map(declaration),
      ...codes.map(
        ({ code, declared, losses: lost, tool }) =>
          `${declared}${comment(aboutTool(tool.description ?? tool.name, lost))}\n${code}`
      ),
      print([
        "const toolkit: ",
        list("Toolkit.Toolkit<", [typeOfTools], ">"),
        " = ",
        list("Toolkit.make(", ofTools, ")")
      ]),
      `${comment("All tools.")}\nexport class Tools extends toolkit {}`,
      `${comment("The handlers of all tools: each calls the tool of its name.")}\nexport const layer = <R = never>(source: TypedTools.Source<R>) => TypedTools.layer(Tools, source)`
    ].join("\n\n")
    const described = body.includes("described(") ? `\n\n${describedCode}` : ""
    return { code: `${comment(about)}\n${unchecked}\n${imports(body)}${described}\n\n${body}\n`, losses }
  })

/** Exports state their types, which tests try: the compiler would work for minutes on a thousand schemas. */
const unchecked = "// @ts-nocheck"

const imports = (body: string): string => {
  const core = ["Facts", "Hidden"].filter((name) => new RegExp(`\\b${name}\\.`).test(body))
  return [
    'import { Tool, Toolkit } from "@effect/ai"',
    ...(core.length === 0 ? [] : [`import { ${core.join(", ")} } from "@wield/core"`]),
    'import { TypedTools } from "@wield/manifest"',
    'import { Schema } from "effect"'
  ].join("\n")
}

const describedCode = `/** A schema that is shared, with what is said of it where it is used. */
const described = <A, I>(
  schema: Schema.Schema<A, I>,
  about: { readonly description?: string; readonly jsonSchema?: object }
) => schema.pipe(Schema.filter(() => true, { jsonSchema: {}, ...about }))`

const declaration = ({ definition: { losses, name, node }, suspended }: Ordered): string => {
  const refer: Refer = (other): Doc =>
    suspended.has(other) ? call("Schema.suspend", `(): Schema.Schema<${other}> => ${other}`) : other
  const about = node.about.description
  const said = comment(aboutTool(about ?? name, losses))
  const type =
    node._tag === "Object" && node.properties.length > 0
      ? print([`export interface ${name} `, objectType(node.properties, node.rest)])
      : print([`export type ${name} = `, typeOf(node)])
  const schema = print([`export const ${name}: Schema.Schema<${name}> = `, expression(node, refer, name)])
  return `${said}\n${type}\n\n${said}\n${schema}`
}

const aboutTool = (description: string, losses: ReadonlyArray<Loss.Loss>): string =>
  losses.length === 0
    ? description
    : `${description}\n\nNot said as the JSON Schema has it:\n${losses.map(lossText).join("\n")}`

const lossText = ({ keyword, path, reason }: Loss.Loss): string =>
  `- ${[...path, keyword].map((part) => (typeof part === "number" ? part : JSON.stringify(part).slice(1, -1))).join(".")}: ${reason}`

interface Ordered {
  readonly definition: Definition
  /**
   * Suspended: what is declared behind it, or has references itself, through all of which `Schema.Struct` would go
   * again.
   */
  readonly suspended: ReadonlySet<string>
}

/** Definitions in an order in which each stands behind those that it refers to, as far as that is possible. */
const ordered = (definitions: ReadonlyMap<string, Definition>): ReadonlyArray<Ordered> => {
  const done = new Set<string>()
  const referring = new Set<string>()
  const result: Array<Ordered> = []
  const visit = (name: string, open: ReadonlySet<string>): void => {
    const definition = definitions.get(name)
    if (done.has(name) || open.has(name) || definition === undefined) return
    const references = [...new Set(referencesOf(definition.node))]
    const within = new Set([...open, name])
    for (const reference of references) visit(reference, within)
    // A cycle of references may have come here by another way.
    if (done.has(name)) return
    result.push({
      definition,
      suspended: new Set(references.filter((other) => !done.has(other) || referring.has(other)))
    })
    if (references.length > 0) referring.add(name)
    done.add(name)
  }
  for (const name of [...definitions.keys()].sort()) visit(name, new Set())
  return result
}

type Compile = Effect.Effect.Success<typeof JsonSchema.compiler>

/** What was found out about the defaults of schemas, by their texts: tools of one API share most of theirs. */
type KnownDefaults = Map<string, boolean>

/** Which defaults are valid by their own schemas: an annotation of a schema takes no other. */
const validDefaults = (
  root: Json.JsonSchema,
  compile: Compile,
  known: KnownDefaults
): Effect.Effect<ReadOptions["isValid"]> =>
  Effect.gen(function* () {
    const found = new Set<Json.JsonSchema>()
    collect(root, found)
    const valid = new Set<unknown>()
    for (const schema of found) {
      const whole = withDefinitions(schema, root)
      const text = JSON.stringify(whole)
      let isValid = known.get(text)
      if (isValid === undefined) {
        const validator = yield* Effect.either(compile(whole))
        isValid = Either.isRight(validator) && validator.right.isValid(schema["default"])
        known.set(text, isValid)
      }
      if (isValid) valid.add(schema)
    }
    // A schema that was put together of two has not been looked at.
    return (schema) => valid.has(schema)
  })

/** With the definitions that it leads to, and no others. */
const withDefinitions = (schema: Json.JsonSchema, root: Json.JsonSchema): Json.JsonSchema => {
  const { $defs } = root
  const names = new Set<string>()
  const add = (value: unknown): void => {
    for (const [, name = ""] of (JSON.stringify(value) ?? "").matchAll(/"\$ref":"#\/\$defs\/([^"]*)"/g)) {
      if (Json.isObject($defs) && Object.hasOwn($defs, name)) names.add(name)
    }
  }
  add(schema)
  for (const name of names) add(Object($defs)[name])
  return names.size === 0
    ? schema
    : { allOf: [schema], $defs: Object.fromEntries([...names].sort().map((name) => [name, Object($defs)[name]])) }
}

const collect = (value: unknown, found: Set<Json.JsonSchema>): void => {
  if (Array.isArray(value)) for (const item of value) collect(item, found)
  if (!Json.isObject(value) || found.has(value)) return
  if (value["default"] !== undefined) found.add(value)
  for (const [keyword, held] of Object.entries(value)) {
    if (keyword !== "default" && keyword !== "enum" && keyword !== "const" && keyword !== "examples")
      collect(held, found)
  }
}

/** What the module uses, and names of the language that a reader would take for something else. */
const taken =
  "Array ArrayBuffer Boolean Date Effect Error Event Facts File Function Hidden Iterable JSON Map Math Number Object " +
  "Partial Pick Promise Proxy ReadonlyArray Record RegExp Request Required Response Schema Set String Symbol Tool Toolkit " +
  "Tools Toolset TypedTools URL"

const makeIdentifiers = (): TakeName => {
  const used = new Set(taken.split(" "))
  return (wanted) => {
    const base = pascal(wanted)
    const name = unusedName(base, used, (number) => `${base}${number}`)
    used.add(name)
    return name
  }
}

/** `get_order` and `getOrder` are `GetOrder`; no name in capitals is a word of the language. */
const pascal = (text: string): string => {
  const joined = text
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("")
  return joined === "" ? "Value" : /^[0-9]/.test(joined) ? `Value${joined}` : joined
}

/** The definitions of all tools: those that are the same in several are declared once. */
interface Definition {
  readonly name: string
  readonly node: Node
  readonly losses: ReadonlyArray<Loss.Loss>
}

const makeDefinitions = (takeName: TakeName) => {
  const made = new Map<string, Definition>()
  const known = new Map<string, string>()
  const texts = new Map<string, number>()
  const outlines = new WeakMap<object, Outline>()
  const outlineOf = (value: unknown): Outline => {
    if (typeof value !== "object" || value === null) return outline(value, texts)
    const found = outlines.get(value) ?? outline(value, texts)
    outlines.set(value, found)
    return found
  }
  return {
    all: () => made,
    namesOf: (root: Json.JsonSchema, isValid: ReadOptions["isValid"]) => {
      const names = new Map<string, string>()
      const nameOf = (reference: string): string => {
        const before = names.get(reference)
        if (before !== undefined) return before
        const key = keyOf(reference, root, outlineOf)
        const shared = known.get(key)
        const name = shared ?? takeName(JsonPointer.keysOf(reference).at(-1) ?? "Root")
        names.set(reference, name)
        if (shared !== undefined) return name
        known.set(key, name)
        const losses: Array<Loss.Loss> = []
        const node = readNode(lookup(root, reference), [], { root, subject: name, losses, nameOf, isValid })
        made.set(name, { name, node, losses })
        return name
      }
      return nameOf
    }
  }
}

interface Outline {
  readonly number: number
  readonly references: ReadonlyArray<string>
}

const outline = (value: unknown, texts: Map<string, number>): Outline => {
  const text = JSON.stringify(value) ?? ""
  const number = texts.get(text) ?? texts.size
  texts.set(text, number)
  const found = new Set<string>()
  for (const [, reference = ""] of text.matchAll(/"\$ref":("(?:[^"\\]|\\.)*")/g))
    found.add(String(JSON.parse(reference)))
  return { number, references: [...found] }
}

const keyOf = (reference: string, root: Json.JsonSchema, outlineOf: (value: unknown) => Outline): string => {
  const found = new Set([reference])
  const numbers: Array<string> = []
  for (const one of found) {
    const { number, references } = outlineOf(lookup(root, one))
    numbers.push(`${one}:${number}`)
    for (const other of references) found.add(other)
  }
  return `${reference} ${numbers.sort().join(" ")}`
}
