/** The table of guarantees names tests that are there. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { table } from "./table.js"

const root = join(import.meta.dirname, "../..")

/** The text of a file, or of all tests in a folder. */
const textOf = (path: string): string => {
  const full = join(root, path)
  if (statSync(full).isFile()) return readFileSync(full, "utf8")
  return readdirSync(full, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.parentPath.includes("node_modules"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n")
}

it("each guarantee has a test at each door, or a reason why not", () => {
  const missing = table.flatMap(({ door, ...cells }) =>
    Object.entries(cells).flatMap(([guarantee, cell]) =>
      typeof cell === "string" || textOf(cell[0]).includes(cell[1])
        ? []
        : [`${door}, ${guarantee}: ${cell.join(" > ")}`]
    )
  )
  expect(missing).toEqual([])
})
