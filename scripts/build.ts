/** Writes the JavaScript of every package into its `dist`, beside the declarations that the compiler has written. */
import { existsSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { writePage } from "../packages/studio/ui/build.js"
import { bundle } from "./build/bundle.js"
import { copyDeclarations } from "./build/copy-declarations.js"
import { writeDeclarations } from "./build/declarations.js"
import { removeStaleOutput } from "./build/remove-stale-output.js"

const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), "packages")

for (const name of readdirSync(packages)) {
  const folder = join(packages, name)
  if (!existsSync(join(folder, "tsconfig.build.json"))) continue
  removeStaleOutput(folder)
  await bundle(folder)
  if (name === "wield") writeDeclarations(folder)
  if (name === "effect4") copyDeclarations(folder)
}
await writePage(join(packages, "studio", "dist", "ui"))
