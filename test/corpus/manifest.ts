/**
 * Manifests that others wrote, and what their converters made: Acorn's files
 * load and are linted, tools of its GraphQL schemas are those that Acorn makes.
 * And real OpenAPI specifications: every operation imports, survives every wire
 * format, and has types.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { checkFiles } from "./acorn/files.js"
import { compare, reasons } from "./acorn/graphql.js"
import type { Checked } from "./manifest/Checked.js"
import { checkSpecifications } from "./manifest/specifications.js"
import { checkTypes } from "./manifest/types.js"
import { withUnreadable } from "./folder.js"
import type { Report, RunOptions } from "./Report.js"

export const part = "acorn"

/** `only` runs one part of the material, `acorn` or `openapi`, or one specification by its file's name. */
export const run = async (folder: string, { every, only }: RunOptions = {}): Promise<Report> => {
  const sections: Array<Checked> = []
  if (only === undefined || only === "acorn") {
    const { failures, passed } = await compare(join(folder, "acorn"))
    sections.push(await checkFiles(join(folder, "acorn/tools")), {
      rows: [["GraphQL pairs", passed + failures.length, "-", "-", "-", failures.length]],
      notes: [
        "Taken from the comparison with Acorn's own conversions, and why:",
        ...reasons.map((each) => `  ${each}`)
      ],
      passed,
      failures
    })
  }
  if (only !== "acorn" && existsSync(join(folder, "openapi"))) {
    sections.push(
      await checkSpecifications(join(folder, "openapi"), { every, only: only === "openapi" ? undefined : only })
    )
  }
  const manifests = new Map(sections.flatMap(({ manifests = new Map() }) => [...manifests]))
  sections.push(await checkTypes(manifests, every))
  return withUnreadable({
    table: [
      ["material", "tools", "changed by formats", "losses", "ms", "failed"],
      ...sections.flatMap(({ rows }) => rows)
    ],
    notes: sections.flatMap(({ notes }) => notes),
    passed: sections.reduce((sum, { passed }) => sum + passed, 0),
    failures: sections.flatMap(({ failures }) => failures)
  })
}
