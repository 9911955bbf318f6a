/** What TypeDoc's pages lack: a main part, descriptions, an edit link, their neighbours, and twins in Markdown. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { toMarkdown } from "./to-markdown.js"

export interface Guide {
  readonly title: string
  readonly group: string
  /** Its path in the site, `documents/Agents.html`. */
  readonly url: string
  readonly markdown: string
  readonly editUrl: string
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** The first paragraph, as a search engine shows it. */
const descriptionOf = (html: string): string => {
  const [, main = ""] = /<main[^>]*>([^]*)<\/main>/.exec(html) ?? []
  const [, paragraph = ""] = /<p>([^]*?)<\/p>/.exec(main) ?? []
  const text = paragraph
    .replace(/<[^>]+>/g, "")
    .replace(/\s+/g, " ")
    .trim()
  return text.length > 200 ? `${text.slice(0, 197).replace(/\s\S*$/, "")} …` : text
}

const linkTo = (from: string, { title, url }: Guide, relation: "next" | "prev"): string => {
  const text = relation === "next" ? `Next: ${title}` : `Previous: ${title}`
  return `<a rel="${relation}" href="${"../".repeat(from.split("/").length - 1)}${url}">${escape(text)}</a>`
}

const endsOf = (guides: ReadonlyArray<Guide>, url: string): string => {
  const position = guides.findIndex((guide) => guide.url === url)
  const guide = guides[position]
  const twin = `<a href="${url.replace(/^.*\//, "").replace(/html$/, "md")}">As Markdown</a>`
  if (guide === undefined) return `<nav class="site-ends" aria-label="This page elsewhere">${twin}</nav>`
  const [before, after] = [guides[position - 1], guides[position + 1]]
  const links = [
    before === undefined ? "" : linkTo(url, before, "prev"),
    `<a href="${guide.editUrl}">Edit this page</a>`,
    twin,
    after === undefined ? "" : linkTo(url, after, "next")
  ]
  return `<nav class="site-ends" aria-label="Neighbours">${links.join("")}</nav>`
}

const dressPage = (html: string, url: string, guides: ReadonlyArray<Guide>): string => {
  const withMain = html
    .replace('<div class="col-content">', '<main class="col-content">')
    .replace(/<\/div>\s*<div class="col-sidebar">/, () => `${endsOf(guides, url)}</main>\n<div class="col-sidebar">`)
    .replaceAll(
      /<table>[^]*?<\/table>/g,
      (table) => `<div class="table" tabindex="0">${table.replaceAll("<th></th>", "<td></td>")}</div>`
    )
    // A page of one thing calls itself by it, not by an empty link.
    .replaceAll(/<a href="" aria-current="page">([^<]*)<\/a>/g, '<span aria-current="page">$1</span>')
    .replaceAll(/<h3>(Settings|On This Page)<\/h3>/g, "<span>$1</span>")
    .replaceAll("<pre><code", '<pre tabindex="0"><code')
    // A control within a control: the heading of what opens and closes is no link as well.
    .replaceAll(/<summary[^>]*>[^]*?<\/summary>/g, (summary) =>
      summary.replaceAll(/<a [^>]*class="tsd-anchor-icon"[^>]*>[^]*?<\/a>/g, "").replaceAll(/<\/?a\b[^>]*>/g, "")
    )
    .replace('<div class="page-menu">', '<div class="page-menu" role="complementary" aria-label="About this page">')
    .replace('<nav id="tsd-sidebar-links"', '<nav id="tsd-sidebar-links" aria-label="Elsewhere"')
    .replace('<nav class="tsd-navigation">', '<nav class="tsd-navigation" aria-label="All pages">')
    .replace("<body>", `<body class="${url === "index.html" ? "site-first" : ""}">`)
    .replace(/<main[^]*<\/main>/, levelHeadings)
  const [, title = ""] = /<h1[^>]*>([^<]*)/.exec(withMain) ?? []
  const paragraph = descriptionOf(withMain)
  const description = escape(
    (paragraph.length >= 20 ? paragraph : `${title}: the API reference of Wield. ${paragraph}`.trim())
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&")
  )
  return withMain.replace(
    /<meta name="description" content="[^"]*"\/>/,
    () => `<meta name="description" content="${description}"/>`
  )
}

/** No level is left out below another: TypeDoc's fourth may follow the first. Its look stays, by a class. */
const levelHeadings = (main: string): string => {
  const open: Array<number> = []
  return main.replaceAll(/<(\/?)h([1-6])([^>]*)>/g, (whole, slash: string, level: string, attributes: string) => {
    if (slash !== "") return whole
    const given = Number(level)
    while (open.length > 0 && open.at(-1)! >= given) open.pop()
    open.push(given)
    return `<h${open.length}${attributes} data-level="${given}">`
  })
}

/** Guides are in the order in which they are read. */
export const dressPages = (folder: string, guides: ReadonlyArray<Guide>): void => {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"))
  for (const name of names) {
    const url = name.replaceAll("\\", "/")
    const html = readFileSync(join(folder, name), "utf8")
    writeFileSync(join(folder, name), dressPage(html, url, guides))
    writeFileSync(join(folder, name.replace(/html$/, "md")), toMarkdown(html))
  }
  for (const { markdown, url } of guides) writeFileSync(join(folder, url.replace(/html$/, "md")), markdown)
}

const changeScript = (folder: string, changes: ReadonlyArray<readonly [pattern: RegExp, text: string]>): void => {
  const path = join(folder, "assets", "main.js")
  let code = readFileSync(path, "utf8")
  for (const [pattern, text] of changes) {
    if (!pattern.test(code)) throw new Error(`TypeDoc's script has changed: ${pattern} is not in assets/main.js`)
    code = code.replace(pattern, text)
  }
  writeFileSync(path, code)
}

/** A page that has others below it is a link beside what opens them, not a link within it. */
export const mendNavigation = (folder: string): void =>
  changeScript(folder, [
    [
      /(\w+)\((\w),(\w)\);let (\w)=(\w)\.appendChild\(document\.createElement\("div"\)\);\4\.className="tsd-accordion-details"/,
      '$2.path?($5.parentElement.classList.add("site-branch"),$3.setAttribute("aria-label",$2.text),$1($2,$5.parentElement),$5.parentElement.append($5)):$1($2,$3);let $4=$5.appendChild(document.createElement("div"));$4.className="tsd-accordion-details"'
    ]
  ])

/** TypeDoc's own search finds parts of words, "a" too, and by name first. */
export const teachSearch = (folder: string): void => {
  changeScript(folder, [
    [/(\w)\.split\(" "\)\.map\(\w=>\w\.length\?`\*\$\{\w\}\*`:""\)\.join\(" "\)/, "siteSearch.queryOf($1)"],
    [
      /(\w)\.sort\(\((\w),(\w)\)=>\3\.score-\2\.score\);(?=let \w=Math\.min\(10)/,
      "$1.sort(($2,$3)=>$3.score-$2.score);$1=siteSearch.orderOf(i,$1,r.data.rows);"
    ]
  ])
  const path = join(folder, "assets", "main.js")
  const own = readFileSync(new URL("site/search.js", import.meta.url), "utf8").replaceAll("export const ", "const ")
  writeFileSync(path, `var siteSearch=(()=>{${own};return{queryOf,orderOf}})();\n${readFileSync(path, "utf8")}`)
}
