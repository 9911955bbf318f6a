/** What the compiler says of programs, for tests of the messages that a mistake leads to. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { findDiagnostics } from "../../scripts/typescript.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "../..")

/**
 * The messages for each program, each with its line before it: `3: Type 'string' is not assignable …`. One program may
 * import another from `./program0.js`. All are checked in one run of the compiler, by the settings of this repository
 * and these options.
 */
export const messagesOf = async (
  programs: ReadonlyArray<string>,
  compilerOptions: { readonly [option: string]: unknown } = { noUnusedLocals: false }
): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const parent = join(root, ".docs-check")
  mkdirSync(parent, { recursive: true })
  // Packages are found from here.
  const folder = mkdtempSync(join(parent, "messages-"))
  try {
    const names = programs.map((program, index) => {
      writeFileSync(join(folder, `program${index}.ts`), program)
      return `program${index}.ts`
    })
    const configuration = join(folder, "tsconfig.json")
    const diagnosticsOfEffect = { name: "@effect/language-service", diagnostics: false }
    writeFileSync(
      configuration,
      JSON.stringify({
        extends: "../../tsconfig.check.json",
        compilerOptions: { ...compilerOptions, plugins: [diagnosticsOfEffect] },
        files: names
      })
    )
    const messages = new Map(names.map((name): [string, Array<string>] => [name, []]))
    for (const { file = configuration, line, message } of await findDiagnostics(configuration)) {
      const found = messages.get(basename(file))
      if (found === undefined) throw new Error(`The compiler complains of ${file}: ${message}`)
      found.push(`${line}: ${message}`)
    }
    return [...messages.values()]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
