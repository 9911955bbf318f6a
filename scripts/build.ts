/** Writes the JavaScript of every package into its `dist`, beside the declarations that the compiler has written. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import { writePage } from "../packages/studio/ui/build.js"
import { bundle } from "./build/bundle.js"
import { copyDeclarations } from "./build/copy-declarations.js"
import { writeDeclarations } from "./build/declarations.js"
import { removeStaleOutput } from "./build/remove-stale-output.js"
import { rewriteLinks } from "./documentation/links.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const packages = join(root, "packages")

for (const name of readdirSync(packages)) {
  const folder = join(packages, name)
  if (!existsSync(join(folder, "tsconfig.build.json"))) continue
  removeStaleOutput(folder)
  await bundle(folder)
  if (name === "wield") writeDeclarations(folder)
  if (name === "effect4") copyDeclarations(folder)
}
/** Groups of the index whose guides are about these two packages. */
const within = /^## (?:You are new|You write|You put|You build|You use many).*$([^]*?)(?=^## )/gm

/** The guides of the version that is installed, with their index, for who sees nothing but the package. */
const writeGuides = (folder: string): void => {
  const index = readFileSync(join(root, "docs/README.md"), "utf8")
  const guides = [...index.matchAll(within)].flatMap(([, group = ""]) =>
    Array.from(group.matchAll(/\]\(([^)]+)\)/g), ([, link = ""]) => normalize(join("docs", link)))
  )
  const places = new Map(["docs/README.md", ...guides].map((path) => [path, path]))
  places.set("skills/wield/SKILL.md", "docs/SKILL.md")
  rmSync(join(folder, "docs"), { recursive: true, force: true })
  mkdirSync(join(folder, "docs"))
  for (const [path, place] of places) {
    const text = readFileSync(join(root, path), "utf8")
    writeFileSync(
      join(folder, place),
      rewriteLinks(text, path, (target) => places.get(target), place)
    )
  }
}
for (const name of ["core", "wield"]) writeGuides(join(packages, name))
await writePage(join(packages, "studio", "dist", "ui"))
