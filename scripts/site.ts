/**
 * Writes the documentation site to `dist/site`: guides, examples and the API reference of every public module, with a
 * search that needs no network. It fails where a link leads nowhere. Open `dist/site/index.html`; no server is needed.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"
import { fileURLToPath } from "node:url"
import {
  Application,
  Comment,
  Converter,
  DefaultTheme,
  DocumentReflection,
  type NavigationElement,
  PageEvent,
  type ProjectReflection
} from "typedoc"
import { repository, rewriteLinks } from "./documentation/links.js"
import { programsOf } from "./documentation/pages.js"
import { findDeadLinks } from "./documentation/site-links.js"
import { dressPages, type Guide, mendNavigation, teachSearch } from "./documentation/site-pages.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const output = join(root, "dist", "site")
/** Guides and examples as the generator takes them, in the folders that they have in the repository. */
const pages = join(root, ".docs-check", "site")

const assets = join(root, "scripts", "documentation", "site")
const address = process.env["SITE_URL"] ?? "https://wield-tools.github.io/wield/"

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
  const given = Object.entries({ title, group, page: path }).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  const matter = `---\n${given.join("\n")}\n---\n\n`
  writeFileSync(join(pages, path), matter + rewriteLinks(text, path, placeOf))
}

/** What README's table says, for who has not come to it. Each leads to the guide that shows it. */
const cards: ReadonlyArray<readonly [title: string, text: string, page: string]> = [
  [
    "Arguments that mend themselves",
    "The model reads each wrong place and what is expected there.",
    "docs/runner-and-outcomes.md"
  ],
  [
    "Approvals that hold",
    "A person's yes is for what was shown, hours later and in another process too.",
    "docs/deferred-calls.md"
  ],
  [
    "Values no model sees",
    "Your application fills hidden fields; no model sees or sets them.",
    "docs/hidden-context.md"
  ],
  [
    "No call takes effect twice",
    "With a store, a call that was made is not made again after a crash.",
    "docs/policies.md"
  ],
  ["Any provider", "Eight wire formats, streamed or not, and models over HTTP.", "docs/wire-formats.md"],
  ["Tools from what you have", "OpenAPI, GraphQL, SQL, MCP servers, Python and Bash scripts.", "docs/manifest.md"]
]

/** README, with its two examples in tabs, and without the title that the page has already. */
const firstPage = (readme: string): string => {
  const [head = "", ...sections] = readme.split(/^## /m)
  const bodyOf = (title: string): string =>
    (sections.find((text) => text.startsWith(title)) ?? "").slice(title.length).replace(/^!\[.*$/m, "")
  const tab = (id: string, label: string): string =>
    `<input type="radio" name="way" id="tab-${id}"${id === "promises" ? " checked" : ""}><label for="tab-${id}">${label}</label>`
  const panel = (id: string, title: string): string => `<div class="tab-${id}">\n\n${bodyOf(title)}\n\n</div>`
  const [, claim = "", about = ""] = /^# .*\n\n(.*?\.) ([^]*)$/.exec(head) ?? []
  const [picture = ""] = /^!\[.*$/m.exec(readme) ?? []
  return [
    `<div class="site-hero">\n\n${claim}\n\n</div>`,
    `<div class="site-actions">\n\n[Begin with promises](docs/promises.md) [Begin with Effect](docs/getting-started.md) [All guides](docs/README.md)\n\n</div>`,
    about.trim(),
    `<div class="site-tabs">${tab("promises", "Promises")}${tab("effect", "Effect")}${panel("promises", "With promises")}${panel("effect", "With Effect")}</div>`,
    `<div class="site-cards">\n\n${cards.map(([title, text, page]) => `- [${title}](${page})\n\n  ${text}\n`).join("\n")}\n</div>`,
    picture,
    ...sections.filter((text) => !/^With (?:promises|Effect)/.test(text)).map((text) => `## ${text}`)
  ].join("\n\n")
}

const writePages = (): ReadonlyArray<string> => {
  rmSync(pages, { recursive: true, force: true })
  for (const page of guides) {
    const [, title = page] = /^# (.*)$/m.exec(read(page)) ?? []
    writePage(page, { title, group: groupOf(page), text: read(page) })
  }
  for (const example of examples) {
    const [comment = "", ...lines] = read(example)
      .replace(/^\/\*\*[ \t]*\n?/, "")
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
  writeFileSync(join(pages, "README.md"), rewriteLinks(firstPage(read("README.md")), "README.md", placeOf))
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

/** All modules of a package under its name, by what follows the name: 264 in one list are not looked through. */
const byPackage = (modules: ReadonlyArray<NavigationElement>): Array<NavigationElement> => {
  const folders = new Map<string, Array<NavigationElement>>()
  for (const module of modules) {
    const [, name = "", rest = ""] = /^((?:@wield\/)?[^/]+)\/?(.*)$/.exec(module.text) ?? []
    folders.set(name, [...(folders.get(name) ?? []), { ...module, text: rest === "" ? name : rest }])
  }
  return [...folders].map(([text, children]) => ({ text, children }))
}

class SiteTheme extends DefaultTheme {
  override buildNavigation(project: ProjectReflection): Array<NavigationElement> {
    return super
      .buildNavigation(project)
      .map((one) => (one.text === "Modules" ? { ...one, children: byPackage(one.children ?? []) } : one))
  }
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
  theme: "wield",
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
  navigation: { includeGroups: true, includeCategories: false },
  highlightLanguages: ["ts", "js", "json", "jsonc", "yaml", "sh", "bash", "python", "sql", "graphql", "http", "text"],
  disableGit: true,
  basePath: root,
  hostedBaseUrl: address,
  favicon: join(assets, "favicon.svg"),
  customCss: join(assets, "site.css"),
  navigationLinks: {
    Guides: `${address}documents/Documentation.html`,
    [JSON.parse(read("package.json")).version]: `${repository}/CHANGELOG.md`,
    GitHub: repository.replace("/blob/main", "")
  },
  sourceLinkTemplate: `${repository}/{path}#L{line}`,
  treatWarningsAsErrors: true,
  logLevel: "Warn"
})
app.renderer.defineTheme("wield", SiteTheme)
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  // What a reader asks, a guide of `docs/` answers before a page about one command or one provider.
  for (const document of project.documents ?? []) {
    document.relevanceBoost = /^docs\/[^/]+\.md$/.test(String(document.frontmatter["page"])) ? 20 : 1
  }
  for (const module of project.children ?? []) {
    const source = module.sources?.[0]?.fullFileName
    const text = source === undefined ? "" : readFileSync(source, "utf8")
    // What a module is for stands above its imports; TypeDoc knows it by a tag only.
    const [, about] = /^\/\*\*\n([^]*?)\n \*\/\n/.exec(text) ?? []
    if (about !== undefined) module.comment ??= new Comment([{ kind: "text", text: about.replace(/^ \* ?/gm, "") }])
    module.name = specifierOf(module.name)
    // A schema's comment is that of the type of its name, too.
    const { children = [] } = module
    for (const child of children) {
      const shared = children.find(({ comment, name }) => name === child.name && comment !== undefined)?.comment
      if (shared !== undefined) child.comment ??= shared.clone()
    }
  }
})

/** Where each page of the repository stands in the site; the generator forgets it when it is done. */
const urls = new Map<string, { readonly title: string; readonly group: string; readonly url: string }>()
app.renderer.on(PageEvent.BEGIN, ({ model, url }) => {
  if (!(model instanceof DocumentReflection)) return
  const { group, page } = model.frontmatter
  urls.set(String(page), { title: model.name, group: String(group), url })
})

rmSync(output, { recursive: true, force: true })
const project = await app.convert()
if (project === undefined) process.exit(1)
await app.generateDocs(project, output)

const twinOf = (path: string): string | undefined =>
  urls.get(path.replace(/^(examples.*)ts$/, "$1md"))?.url.replace(/html$/, "md")
const editOf = (source: string): string => `${repository.replace("/blob/", "/edit/")}/${source}`
/** In the order of the index. */
const dressed = documents.flatMap((page): ReadonlyArray<Guide> => {
  const place = urls.get(page)
  if (place === undefined) return []
  const source = page.startsWith("examples/") ? page.replace(/md$/, "ts") : page
  const text = readFileSync(join(pages, page), "utf8").replace(/^---[^]*?\n---\n\n/, "")
  const markdown = rewriteLinks(text, page, twinOf, place.url)
  return [{ ...place, markdown, editUrl: editOf(source) }]
})
const first: Guide = {
  title: "Wield",
  group: "",
  url: "index.html",
  markdown: rewriteLinks(read("README.md"), "README.md", twinOf, "index.md"),
  editUrl: editOf("README.md")
}
dressPages(output, [first, ...dressed])
teachSearch(output)
mendNavigation(output)
const listed = [...new Set(dressed.map(({ group }) => group))].map((group) => {
  const lines = dressed.filter((guide) => guide.group === group)
  return `## ${group}\n\n${lines.map(({ title, url }) => `- [${title}](${address}${url.replace(/html$/, "md")})`).join("\n")}\n`
})
const [, claim = ""] = /^# .*\n\n(.*)$/m.exec(read("README.md")) ?? []
const modules = readdirSync(join(output, "modules")).filter((name) => name.endsWith(".md"))
listed.push(
  `## Modules\n\n${modules.map((name) => `- [${/^# Module (.*)$/m.exec(readFileSync(join(output, "modules", name), "utf8"))?.[1]}](${address}modules/${name})`).join("\n")}\n`
)
writeFileSync(join(output, "llms.txt"), `# Wield\n\n> ${claim}\n\n${listed.join("\n")}`)
// It is shown for any address, so that it can name no file beside itself.
const lost = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/><title>Not found | Wield</title>
<meta name="viewport" content="width=device-width, initial-scale=1"/><meta name="color-scheme" content="light dark"/>
<style>body{font-family:system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}
body{background:#fff;color:#222}a{color:#17549e}
@media(prefers-color-scheme:dark){body{background:#14171c;color:#f5f5f5}a{color:#7db4ff}}</style></head>
<body><main><h1>Not found</h1><p>No page is here. <a href="${address}">The first page</a> leads on.</p></main></body></html>
`
writeFileSync(join(output, "404.html"), lost)

const dead = findDeadLinks(output)
for (const { page, url } of dead) console.error(`${page}: the link ${url} leads nowhere`)
console.log(
  `dist/site/index.html: ${documents.length} pages and ${project.children?.length} modules, ${dead.length} dead links`
)
process.exitCode = dead.length > 0 || app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0
