/**
 * Builds the page: one script, one style sheet, one document. Developers get a cached build of the sources as they are;
 * `pnpm build` writes it to `dist/ui`.
 */
import { createHash } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { licencesOf } from "../../../scripts/build/licences.js"

const sources = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(dirname(sources)))

/** Writes the page into a folder. */
export const writePage = async (folder: string): Promise<void> => {
  const build = await rolldown({
    input: join(sources, "main.tsx"),
    platform: "browser",
    tsconfig: false,
    resolve: { extensionAlias: { ".js": [".ts", ".tsx", ".js"] } },
    transform: { target: "es2023", jsx: { runtime: "automatic", importSource: "preact" } }
  })
  const { output } = await build.write({
    file: join(folder, "studio.js"),
    format: "esm",
    minify: true,
    codeSplitting: false
  })
  await build.close()
  const modules = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []))
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), licencesOf(modules))
  for (const name of ["index.html", "design.css", "studio.css"]) cpSync(join(sources, name), join(folder, name))
}

const digestOfSources = (): string => {
  const digest = createHash("sha256")
  const files = readdirSync(sources, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const path of files.map((file) => join(file.parentPath, file.name)).toSorted()) {
    digest.update(`${relative(sources, path)}\0`).update(readFileSync(path))
  }
  return digest
    .update(readFileSync(join(root, "pnpm-lock.yaml")))
    .digest("hex")
    .slice(0, 16)
}

/** The folder of the page built from the sources as they are now. It is built once for each state of them. */
export const buildPage = async (): Promise<string> => {
  const cache = join(root, "node_modules", ".cache", "studio")
  const target = join(cache, digestOfSources())
  if (existsSync(target)) return target
  mkdirSync(cache, { recursive: true })
  const temporary = mkdtempSync(join(cache, "build-"))
  await writePage(temporary)
  try {
    renameSync(temporary, target)
  } catch (cause) {
    // Another process has built the same meanwhile.
    rmSync(temporary, { recursive: true, force: true })
    if (!existsSync(target)) throw cause
  }
  return target
}
