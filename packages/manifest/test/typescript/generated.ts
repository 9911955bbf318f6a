/** Generated modules, type-checked by the compiler and loaded. */
import { ToolDefinition } from "@wield/core"
import { TypeScript } from "@wield/manifest"
import * as Effect from "effect/Effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import ts from "typescript"

const folder = dirname(fileURLToPath(import.meta.url))

const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  types: ["node"]
}

/**
 * What the compiler says of modules that stand in this folder. Generated ones ask not to be checked: that their schemas
 * have the types that they state is tried here.
 */
export const errorsOf = (modules: { readonly [name: string]: string }): ReadonlyArray<string> => {
  const files = new Map(
    Object.entries(modules).map(([name, code]) => [join(folder, name), code.replace("// @ts-nocheck\n", "")])
  )
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile, readFile } = host
  host.fileExists = (name) => files.has(name) || fileExists(name)
  host.readFile = (name) => files.get(name) ?? readFile(name)
  host.getSourceFile = (name, version, ...rest) => {
    const code = files.get(name)
    return code === undefined ? getSourceFile(name, version, ...rest) : ts.createSourceFile(name, code, version)
  }
  const program = ts.createProgram([...files.keys()], options, host)
  const sources = [...files.keys()].map((name) => program.getSourceFile(name))
  return sources
    .flatMap((source) => [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)])
    .map((diagnostic) => {
      const { line } = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0) ?? { line: 0 }
      return `${line + 1}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, " ")}`
    })
}

/** The exports of a module; it stands in a folder from which packages are found. */
export const loaded = (code: string): Effect.Effect<{ readonly [name: string]: unknown }> =>
  Effect.acquireUseRelease(
    Effect.promise(() => mkdtemp(join(folder, ".scratch-"))),
    (temporary) =>
      Effect.promise(async () => {
        const file = join(temporary, "generated.ts")
        await writeFile(file, code)
        return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { readonly [name: string]: unknown }
      }),
    (temporary) => Effect.promise(() => rm(temporary, { recursive: true }))
  )

/** A module of one tool. */
export const generated = (parameters: ToolDefinition.ToolDefinition["inputSchema"]) =>
  TypeScript.generate([ToolDefinition.make({ name: "tool", inputSchema: parameters })])
