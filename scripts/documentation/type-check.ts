/** Type-checks modules in one program, under the settings that the packages are compiled with. */
import { writeFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { type Diagnostic, effectErrors, findDiagnostics, isOfEffect } from "../typescript.js"
import type { Problem } from "./problem.js"
import type { WrittenModule } from "./write.js"

const problemOf = (diagnostic: Diagnostic, modules: ReadonlyMap<string, WrittenModule>): Problem => {
  const { code, file = "tsconfig.check.json", line } = diagnostic
  const page = modules.get(file)?.page ?? file
  return { page, line, message: `${isOfEffect(diagnostic) ? "" : "error "}${code}: ${diagnostic.message}` }
}

/** Type tests are only compiled, and guides show parts of programs: their effects are neither run nor provided for. */
const isAllowed = (diagnostic: Diagnostic, modules: ReadonlyMap<string, WrittenModule>): boolean => {
  const file = diagnostic.file ?? ""
  // A page may define something only to show how it is defined.
  if (modules.has(file)) return isOfEffect(diagnostic) || diagnostic.code === "TS6133" || diagnostic.code === "TS6196"
  return isOfEffect(diagnostic) && file.endsWith(".test-d.ts")
}

export const typeCheck = async (
  modules: ReadonlyArray<WrittenModule>,
  options: {
    readonly root: string
    /** The modules lie in it, and the configuration of their program is written into it. */
    readonly folder: string
    /** Further files of the program, as patterns relative to the root. */
    readonly include?: ReadonlyArray<string>
  }
): Promise<ReadonlyArray<Problem>> => {
  const { folder, include = [], root } = options
  const up = relative(folder, root)
  const configuration = join(folder, "tsconfig.json")
  writeFileSync(
    configuration,
    JSON.stringify({
      extends: `${up}/tsconfig.check.json`,
      // A second run checks what has changed, and what imports it.
      compilerOptions: {
        incremental: true,
        tsBuildInfoFile: `${up}/node_modules/.cache/${relative(root, folder).replaceAll(sep, "-")}.tsbuildinfo`,
        plugins: [effectErrors()]
      },
      include: ["**/*.ts", ...include.map((pattern) => `${up}/${pattern}`)],
      exclude: [`${up}/**/node_modules`, `${up}/**/dist`, `${up}/**/fixtures`]
    })
  )
  const byFile = new Map(modules.map((module) => [relative(root, module.file), module]))
  const diagnostics = await findDiagnostics(configuration)
  return diagnostics
    .filter((diagnostic) => !isAllowed(diagnostic, byFile))
    .map((diagnostic) => problemOf(diagnostic, byFile))
}
