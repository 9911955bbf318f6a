/**
 * Writes the documentation site to `dist/site`: guides, examples and the API reference of every public module, with a
 * search that needs no network. It fails where a link leads nowhere. Open `dist/site/index.html`; no server is needed.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { Application, Converter } from "typedoc"
import { repository, rewriteLinks } from "./documentation/links.js"
import { programsOf } from "./documentation/pages.js"
import { findDeadLinks } from "./documentation/site-links.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const output = join(root, "dist", "site")
/** Guides and examples as the generator takes them, in the folders that they have in the repository. */
const pages = join(root, ".docs-check", "site")

const read = (path: string): string => readFileSync(join(root, path), "utf8")
const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort()

const examples = programsOf(root)
const packages = readdirSync(join(root, "packages"))
const guides = [
  "CONTRIBUTING.md",
  ...filesIn("docs").filter((path) => path.endsWith(".md")),
  ...packages.map((name) => `packages/${name}/README.md`)
]

/** Links to pages and pictures stay; those to other files of the repository go to where it is published. */
const placeOf = (path: string): string | undefined => {
  if (examples.includes(path)) return path.replace(/ts$/, "md")
  if (path === "README.md" || guides.includes(path) || /^docs\/.*\.(?:png|svg)$/.test(path)) return path
  const folder = join(path, "README.md")
  return guides.includes(folder) ? folder : undefined
}

/** The headings of the index are the groups of the site. */
const groups = new Map<string, string>()
for (const [, title = "", body = ""] of read("docs/README.md").matchAll(/^## (.*)$([^]*?)(?=^## |$(?![^]))/gm)) {
  for (const [, path = ""] of body.matchAll(/\]\(([^)]+)\)/g)) groups.set(normalize(join("docs", path)), title)
}
const groupOf = (page: string): string => {
  if (page.startsWith("packages/")) return "Packages"
  if (page.startsWith("docs/decisions/")) return "You maintain Wield"
  if (page.startsWith("docs/wire-formats/")) return "You use many providers"
  return groups.get(page) ?? "Documentation"
}

const writePage = (path: string, { group, text, title }: { group: string; text: string; title: string }): void => {
  mkdirSync(dirname(join(pages, path)), { recursive: true })
  const matter = `---\ntitle: ${JSON.stringify(title)}\ngroup: ${JSON.stringify(group)}\n---\n\n`
  writeFileSync(join(pages, path), matter + rewriteLinks(text, path, placeOf))
}

const writePages = (): ReadonlyArray<string> => {
  rmSync(pages, { recursive: true, force: true })
  for (const page of guides) {
    const [, title = page] = /^# (.*)$/m.exec(read(page)) ?? []
    writePage(page, { title, group: groupOf(page), text: read(page) })
  }
  for (const example of examples) {
    const [comment = "", ...lines] = read(example)
      .replace(/^\/\*\*\s*/, "")
      .split(/\s*\*\/\n/)
    const about = comment.replace(/^ \* ?/gm, "")
    const title = example.replace(/^examples\/|(\/main)?\.ts$/g, "")
    const text = `# ${title}\n\n${about}\n\n\`\`\`ts\n${lines.join(" */\n")}\n\`\`\`\n`
    writePage(example.replace(/ts$/, "md"), { title, group: "Examples", text })
  }
  for (const picture of filesIn("docs").filter((path) => /\.(?:png|svg)$/.test(path))) {
    mkdirSync(dirname(join(pages, picture)), { recursive: true })
    cpSync(join(root, picture), join(pages, picture))
  }
  writeFileSync(join(pages, "README.md"), rewriteLinks(read("README.md"), "README.md", placeOf))
  return [...new Set([...groups.keys(), ...guides])]
    .filter((page) => guides.includes(page))
    .concat(examples.map((example) => example.replace(/ts$/, "md")))
}

/** A root that exports modules says nothing by itself; one that has code is a module, with what it exports of its siblings. */
const publicModulesOf = (name: string): ReadonlyArray<string> => {
  const folder = `packages/${name}/src`
  const files = readdirSync(join(root, folder)).filter((file) => /^[\w-]+\.ts$/.test(file))
  const modules = files.filter((file) => file !== "index.ts")
  const index = files.length > modules.length ? read(`${folder}/index.ts`) : ""
  const hasCode = index !== "" && !index.includes("export * as")
  const apart = hasCode ? modules.filter((file) => !index.includes(`"./${file.replace(/ts$/, "js")}"`)) : modules
  return [...(hasCode ? ["index.ts"] : []), ...apart].map((file) => `${folder}/${file}`)
}

/** `packages/core/src/Toolset` is imported as `@wield/core/Toolset`. */
const specifierOf = (path: string): string => {
  const [, folder, , module] = path.split("/")
  const { name } = JSON.parse(read(`packages/${folder}/package.json`))
  return module === undefined || module === "index" ? name : `${name}/${module}`
}

const documents = writePages()
writeFileSync(
  join(pages, "tsconfig.json"),
  JSON.stringify({
    extends: relative(pages, join(root, "tsconfig.check.json")),
    include: [join(relative(pages, root), "packages/*/src/*.ts")]
  })
)

const app = await Application.bootstrap({
  name: "Wield",
  entryPoints: packages.flatMap(publicModulesOf).map((path) => join(root, path)),
  tsconfig: join(pages, "tsconfig.json"),
  // `pnpm check` has checked the types.
  skipErrorChecking: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  readme: join(pages, "README.md"),
  projectDocuments: documents.map((page) => join(pages, page)),
  searchInDocuments: true,
  groupOrder: [...new Set(groups.values()), "Packages", "Modules", "*"],
  navigation: { includeGroups: true, includeCategories: false, includeFolders: true },
  highlightLanguages: ["ts", "js", "json", "jsonc", "yaml", "sh", "bash", "python", "sql", "graphql", "http", "text"],
  disableGit: true,
  basePath: root,
  sourceLinkTemplate: `${repository}/{path}#L{line}`,
  treatWarningsAsErrors: true,
  logLevel: "Warn"
})
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const module of project.children ?? []) {
    module.name = specifierOf(module.name)
    // A schema's comment is that of the type of its name, too.
    const { children = [] } = module
    for (const child of children) {
      const shared = children.find(({ comment, name }) => name === child.name && comment !== undefined)?.comment
      if (shared !== undefined) child.comment ??= shared.clone()
    }
  }
})

rmSync(output, { recursive: true, force: true })
const project = await app.convert()
if (project === undefined) process.exit(1)
await app.generateDocs(project, output)

const dead = findDeadLinks(output)
for (const { page, url } of dead) console.error(`${page}: the link ${url} leads nowhere`)
console.log(
  `dist/site/index.html: ${documents.length} pages and ${project.children?.length} modules, ${dead.length} dead links`
)
process.exitCode = dead.length > 0 || app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0
