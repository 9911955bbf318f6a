/**
 * The types of `wield` in one file, without a package beside it and without a type of Effect: what is reached from its
 * public modules is copied, what a schema gives is written out, and what only programs with Effect know stays opaque.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import ts from "typescript"
import { publicModules } from "./bundle.js"

/** What stands for types that would bring those of Effect along, by module and name. */
const opaque: Readonly<Record<string, string>> = {
  "core/toolset/model Toolset": "Effectful<unknown>",
  // What only programs with Effect take fits whatever they take: `never` does, and lets nothing through unseen.
  "core/ToolRunner Run": "never",
  "core/ToolRunner OutcomeOf": "Outcome",
  "core/Approval Rule": "unknown",
  "core/Approval RuleOf": "unknown",
  "core/Approval RuleName": "string",
  "core/Journal Service": "unknown",
  "agent/Conversation Conversation": "{ readonly id: string }",
  "agent/Model Model": "{ readonly id: string; readonly format: string; readonly stream: (request: never) => unknown }",
  "effect/Duration DurationInput": "Duration",
  "effect/Effect Effect": "Effectful<unknown>",
  "effect/Layer Layer": "Effectful<unknown>",
  "wield/wield Wield.toolset": "never",
  "wield/wield Wield.policy": "never",
  "wield/wield Wield.runtime": `{
        readonly runPromise: <A>(effect: Effectful<A>, options?: { readonly signal?: AbortSignal | undefined }) => Promise<A>;
        readonly dispose: () => Promise<void>;
    }`
}

const head = `/// <reference lib="esnext.disposable" />
/** A time: milliseconds, or words such as \`"5 seconds"\`. */
export type Duration =
  | number
  | \`\${number} \${"milli" | "millis" | "second" | "seconds" | "minute" | "minutes" | "hour" | "hours" | "day" | "days" | "week" | "weeks"}\`
/** A value of Effect, of the application's own or of another package: an effect, a layer, a toolset. */
export interface Effectful<out A> {
  readonly pipe: (...steps: Array<never>) => unknown
  readonly [Symbol.iterator]?: () => { readonly next: (...given: Array<never>) => IteratorResult<unknown, A> }
}
`

/** Comments without what only the API reference reads, and without examples of Effect. */
const withoutTags = (text: string): string =>
  text.replace(/\/\*\*(?:[^*]|\*(?!\/))*\*\//g, (comment) =>
    comment
      .replace(/\n\s*\* @example(?:\n\s*\*(?! @)(?!\/).*)*/g, (example) =>
        /from "(?:effect|@wield|@effect)/.test(example) ? "" : example
      )
      .replace(/\n\s*\* @category .*/g, "")
      .replace(/(?:\n\s*\*)+(\n\s*\*\/)$/, "$1")
  )

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Writes `dist/*.d.ts` of the package in `folder` from what the compiler has written to `.tsbuild/types`. */
export const writeDeclarations = (folder: string, dist: string = join(folder, "dist")): void => {
  const packages = join(folder, "..")
  const types = join(folder, ".tsbuild", "types")
  const entries = publicModules(folder).map((name) => `${name}.d.ts`)
  const paths = [
    "core",
    "providers",
    "agent",
    "interop",
    "manifest",
    "mcp",
    "scripts",
    "assistant",
    "code-mode"
  ].flatMap((name) => [
    [`@wield/${name}`, [join(packages, name, "dist", "index.d.ts")]] as const,
    [`@wield/${name}/*`, [join(packages, name, "dist", "*.d.ts")]] as const
  ])
  const program = ts.createProgram(
    entries.map((file) => join(types, file)),
    {
      paths: Object.fromEntries(paths.map(([name, files]) => [name, [...files]])),
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: []
    }
  )
  const checker = program.getTypeChecker()
  const printer = ts.createPrinter({ removeComments: false })

  const symbolAt = (node: ts.Node): ts.Symbol | undefined => {
    const found = checker.getSymbolAtLocation(node)
    return found !== undefined && (found.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(found) : found
  }
  const fileOf = (symbol: ts.Symbol): string => symbol.declarations?.[0]?.getSourceFile().fileName ?? ""
  /** Such as `core/Policy`, or `effect/Effect`; `lib` for what every program has. */
  const moduleOf = (symbol: ts.Symbol): string => {
    const file = fileOf(symbol)
    if (/\/typescript\/lib\//.test(file)) return "lib"
    const [, ours] = /\/packages\/([^/]+\/(?:dist|\.tsbuild\/types)\/.+)\.d\.ts$/.exec(file) ?? []
    if (ours !== undefined && !file.includes("/node_modules/"))
      return ours.replace(/\/(?:dist|\.tsbuild\/types)\//, "/")
    const [, name = "", rest = ""] = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(.+?)(?:\.d\.ts)?$/.exec(file) ?? []
    return `${name}/${basename(rest)}`
  }
  const isForeign = (module: string): boolean => /^(?:@?effect)\//.test(module)

  // Names that are exported stay; others get that of their module where two are one.
  const names = new Map<ts.Symbol, string>()
  const taken = new Set<string>(["Duration", "Effectful"])
  const queue: Array<ts.Symbol> = []
  const give = (symbol: ts.Symbol, name: string): void => {
    names.set(symbol, name)
    taken.add(name)
    queue.push(symbol)
  }
  const nameOf = (symbol: ts.Symbol): string => {
    const known = names.get(symbol)
    if (known !== undefined) return known
    const module = basename(moduleOf(symbol))
    let name = symbol.name
    if (taken.has(name)) name = `${module.charAt(0).toUpperCase()}${module.slice(1)}${name}`
    while (taken.has(name)) name += "_"
    give(symbol, name)
    return name
  }

  const exported = entries.map((file) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(join(types, file))!)!
    return {
      file,
      symbols: checker.getExportsOfModule(module).map((symbol) => ({
        as: symbol.name,
        symbol: (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol
      }))
    }
  })
  const index = exported.find(({ file }) => file === "index.d.ts")
  for (const { as, symbol } of [...(index?.symbols ?? []), ...exported.flatMap(({ symbols }) => symbols)]) {
    if (names.has(symbol)) continue
    if (taken.has(as)) nameOf(symbol)
    else give(symbol, as)
  }

  /** A type as text, written out; names of others are given as they are copied. */
  const writeOut = (type: ts.Type, enclosing: ts.Node): string => {
    const flags =
      ts.NodeBuilderFlags.NoTruncation |
      ts.NodeBuilderFlags.UseFullyQualifiedType |
      ts.NodeBuilderFlags.MultilineObjectLiterals |
      ts.NodeBuilderFlags.InTypeAlias |
      ts.NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope
    const node = checker.typeToTypeNode(type, undefined, flags)
    if (node === undefined) throw new Error(`A type of ${enclosing.getSourceFile().fileName} cannot be written out`)
    const renamed = ts.transform(node, [
      (context) => {
        const rename = (symbol: ts.Symbol, given: ReadonlyArray<ts.TypeNode> | undefined): ts.Node => {
          const text = replacementOf(symbol)
          if (text !== undefined) return ts.factory.createTypeReferenceNode(text)
          // What stands for a type is one.
          const visited = given?.map((one) => ts.visitNode(one, visit) as ts.TypeNode)
          return ts.factory.createTypeReferenceNode(nameOf(symbol), visited)
        }
        const visit = (inner: ts.Node): ts.Node => {
          if (ts.isImportTypeNode(inner) && ts.isLiteralTypeNode(inner.argument)) {
            const { literal } = inner.argument
            const file = ts.isStringLiteral(literal) ? literal.text : ""
            const source = program
              .getSourceFiles()
              .find(({ fileName }) => fileName === `${file}.d.ts` || fileName === file)
            const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
            const path = inner.qualifier?.getText === undefined ? "" : textOf(inner.qualifier)
            const symbol = path
              .split(".")
              .reduce<ts.Symbol | undefined>(
                (at, name) => at && checker.getExportsOfModule(at).find((one) => one.name === name),
                module
              )
            if (symbol === undefined) throw new Error(`${file} has no ${path}`)
            return rename(symbol, inner.typeArguments)
          }
          if (ts.isTypeReferenceNode(inner) && ts.isIdentifier(inner.typeName)) {
            // The compiler keeps with a name that it has written what the name is of.
            const { symbol } = inner.typeName as ts.Identifier & { readonly symbol?: ts.Symbol }
            const isKnown =
              symbol !== undefined && (symbol.flags & ts.SymbolFlags.TypeParameter) === 0 && moduleOf(symbol) !== "lib"
            if (isKnown) return rename(symbol, inner.typeArguments)
          }
          if (ts.isPropertySignature(inner) && ts.isComputedPropertyName(inner.name))
            return ts.factory.createNotEmittedStatement(inner) as never
          return ts.visitEachChild(inner, visit, context)
        }
        return (root) => ts.visitNode(root, visit) as ts.TypeNode
      }
    ]).transformed[0]!
    return printer.printNode(ts.EmitHint.Unspecified, renamed, enclosing.getSourceFile())
  }
  const textOf = (name: ts.EntityName): string =>
    ts.isIdentifier(name) ? name.text : `${textOf(name.left)}.${name.right.text}`

  /** What stands in place of a type of Effect, or of one that would bring such along. */
  const replacementOf = (symbol: ts.Symbol): string | undefined => {
    const module = moduleOf(symbol)
    const text = opaque[`${module} ${symbol.name}`]
    return text ?? (isForeign(module) ? "unknown" : undefined)
  }

  const isOwnSymbol = (name: ts.Node): boolean =>
    ts.isPrivateIdentifier(name) || (ts.isComputedPropertyName(name) && !name.getText().startsWith("[Symbol."))

  const editsOf = (root: ts.Node, owner: string): ReadonlyArray<Edit> => {
    const edits: Array<Edit> = []
    const replace = (node: ts.Node, text: string): void =>
      void edits.push({ start: node.getStart(), end: node.getEnd(), text })
    const visitName = (
      node: ts.Node,
      name: ts.EntityName | ts.Expression,
      given: ReadonlyArray<ts.TypeNode> | undefined
    ): void => {
      const symbol = symbolAt(name)
      if (symbol === undefined || (symbol.flags & ts.SymbolFlags.TypeParameter) !== 0 || moduleOf(symbol) === "lib")
        return given?.forEach(visit)
      // What a schema gives, such as `typeof Part.Type`, or what Effect computes of other types.
      const text = replacementOf(symbol)
      if (
        text === "unknown" &&
        isForeign(moduleOf(symbol)) &&
        /^Schema\.Schema\.(Type|Encoded)|^Types\./.test(node.getText())
      ) {
        return replace(node, writeOut(checker.getTypeAtLocation(node), node))
      }
      if (text !== undefined) {
        const inner = given?.[0]
        const keeps =
          text === "Effectful<unknown>" &&
          inner !== undefined &&
          ts.isTypeReferenceNode(inner) &&
          inner.getText() === "A"
        return replace(node, keeps ? "Effectful<A>" : text)
      }
      const parent = name.getText().split(".")
      const isSpec = /standard-schema/.test(fileOf(symbol)) && parent.length > 1
      if (isSpec) return replace(node, writeOut(checker.getTypeAtLocation(node), node))
      replace(name, nameOf(symbol))
      given?.forEach(visit)
    }
    const visit = (node: ts.Node): void => {
      if (ts.isTypeReferenceNode(node)) return visitName(node, node.typeName, node.typeArguments)
      if (ts.isExpressionWithTypeArguments(node)) return visitName(node, node.expression, node.typeArguments)
      if (ts.isTypeOperatorNode(node) && ts.isTypeQueryNode(node.type))
        return replace(node, writeOut(checker.getTypeAtLocation(node), node))
      if (ts.isTypeQueryNode(node)) return replace(node, writeOut(checker.getTypeAtLocation(node), node))
      if (ts.isHeritageClause(node)) {
        const [type] = node.types
        const symbol = type === undefined ? undefined : symbolAt(type.expression)
        if (symbol !== undefined && isForeign(moduleOf(symbol))) return replace(node, "")
      }
      if (ts.isTypeElement(node) || ts.isClassElement(node)) {
        const name = node.name
        const isHidden =
          ts.isConstructorDeclaration(node) ||
          (name !== undefined && isOwnSymbol(name)) ||
          (ts.canHaveModifiers(node) &&
            ts
              .getModifiers(node)
              ?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword || kind === ts.SyntaxKind.PrivateKeyword) ===
              true)
        if (isHidden) return void edits.push({ start: node.getFullStart(), end: node.getEnd(), text: "" })
        const text = name === undefined ? undefined : opaque[`${owner}.${name.getText()}`]
        if (text !== undefined && ts.isPropertySignature(node) && node.type !== undefined)
          return replace(node.type, text)
      }
      ts.forEachChild(node, visit)
    }
    visit(root)
    return edits
  }

  const copy = (node: ts.Node, symbol: ts.Symbol, name: string): string => {
    const source = node.getSourceFile().text
    const start = node.getFullStart()
    const own = ts.getNameOfDeclaration(node as ts.Declaration)
    const edits = [...editsOf(node, `${moduleOf(symbol)} ${symbol.name}`)]
    if (
      !ts.isVariableDeclaration(node) &&
      (ts.getCombinedModifierFlags(node as ts.Declaration) & ts.ModifierFlags.Export) === 0
    ) {
      edits.push({ start: node.getStart(), end: node.getStart(), text: "export " })
    }
    if (own !== undefined && own.getText() !== name)
      edits.push({ start: own.getStart(), end: own.getEnd(), text: name })
    let text = source.slice(start, node.getEnd())
    for (const edit of edits.toSorted((a, b) => b.start - a.start || b.end - a.end)) {
      text = text.slice(0, edit.start - start) + edit.text + text.slice(edit.end - start)
    }
    return text
  }

  /** An error or a class of a schema: what it has, without what its maker is. */
  const classOf = (node: ts.ClassDeclaration, name: string): string => {
    const type = checker.getDeclaredTypeOfSymbol(checker.getSymbolAtLocation(node.name!)!)
    const isError = checker.getPropertyOfType(type, "stack") !== undefined
    const members = checker.getPropertiesOfType(type).flatMap((property) => {
      const module = moduleOf(property)
      if (
        property.name.startsWith("__@") ||
        property.name === "pipe" ||
        module === "lib" ||
        /^(toString|toJSON|stack|commit)$/.test(property.name)
      )
        return []
      if (isError && /^(name|message)$/.test(property.name)) return []
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0
      const docs = ts.displayPartsToString(property.getDocumentationComment(checker))
      const comment = docs === "" ? "" : `    /** ${docs.replaceAll("\n", "\n     * ")} */\n`
      const written = writeOut(checker.getTypeOfSymbolAtLocation(property, node), node)
      return [`${comment}    readonly ${property.name}${isOptional ? "?" : ""}: ${written};`]
    })
    const docs = /^\s*(\/\*\*[^]*?\*\/)/.exec(node.getFullText())?.[1] ?? ""
    return `${docs}\nexport declare class ${name}${isError ? " extends Error" : ""} {\n${members.join("\n")}\n}`
  }

  const isOfSchema = (node: ts.ClassDeclaration): boolean =>
    node.heritageClauses?.some(
      ({ types: [type] }) => type !== undefined && type.expression.getText().endsWith("_base")
    ) === true

  const declarations: Array<string> = []
  for (let symbol = queue.shift(); symbol !== undefined; symbol = queue.shift()) {
    const name = nameOf(symbol)
    for (const declaration of symbol.declarations ?? []) {
      if (ts.isClassDeclaration(declaration) && isOfSchema(declaration)) {
        declarations.push(classOf(declaration, name))
        continue
      }
      const isVariable = ts.isVariableDeclaration(declaration)
      // The value of a schema goes by the name of its type.
      if (isVariable && (symbol.flags & ts.SymbolFlags.Type) !== 0) continue
      const node = isVariable ? declaration.parent.parent : declaration
      const text = copy(isVariable ? declaration : node, symbol, name)
      if (isVariable) {
        const docs = /^\s*(\/\*\*[^]*?\*\/)/.exec(node.getFullText())?.[1] ?? ""
        declarations.push(`${docs}\nexport declare const ${text.trim()};`)
      } else declarations.push(text.trim())
    }
  }

  mkdirSync(join(dist, "chunks"), { recursive: true })
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (/\.d\.ts(?:\.map)?$/.test(file)) rmSync(join(dist, file))
  }
  writeFileSync(join(dist, "chunks", "types.d.ts"), withoutTags(`${head}\n${declarations.join("\n")}\n`))
  for (const { file, symbols } of exported) {
    const items = symbols.map(({ as, symbol }) => {
      const name = nameOf(symbol)
      const prefix =
        (symbol.flags & ts.SymbolFlags.Value) !== 0 &&
        !((symbol.flags & ts.SymbolFlags.Type) !== 0 && (symbol.flags & ts.SymbolFlags.Class) === 0)
          ? ""
          : "type "
      return `${prefix}${name}${name === as ? "" : ` as ${as}`}`
    })
    const source = program.getSourceFile(join(types, file))!
    const docs = /^(\/\*\*[^]*?\*\/)/.exec(source.text.replace(/^\/\/\/.*\n/, ""))?.[1] ?? ""
    writeFileSync(join(dist, file), `${docs}\nexport { ${items.join(", ")} } from "./chunks/types.js"\n`)
  }
}
