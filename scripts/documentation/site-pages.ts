/** What TypeDoc's pages lack: a main part, descriptions, an edit link, their neighbours, and twins in Markdown. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

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
  if (guide === undefined) return ""
  const [before, after] = [guides[position - 1], guides[position + 1]]
  const links = [
    before === undefined ? "" : linkTo(url, before, "prev"),
    `<a href="${guide.editUrl}">Edit this page</a>`,
    `<a href="${url.replace(/^.*\//, "").replace(/html$/, "md")}">As Markdown</a>`,
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
  const description = escape(
    descriptionOf(withMain)
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&")
  )
  return description === ""
    ? withMain
    : withMain.replace(
        /<meta name="description" content="[^"]*"\/>/,
        () => `<meta name="description" content="${description}"/>`
      )
}

/** Guides are in the order in which they are read. */
export const dressPages = (folder: string, guides: ReadonlyArray<Guide>): void => {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"))
  for (const name of names) {
    const url = name.replaceAll("\\", "/")
    writeFileSync(join(folder, name), dressPage(readFileSync(join(folder, name), "utf8"), url, guides))
  }
  for (const { markdown, url } of guides) writeFileSync(join(folder, url.replace(/html$/, "md")), markdown)
}

/** TypeDoc's own search finds parts of words, "a" too, and by name first. */
export const teachSearch = (folder: string): void => {
  const path = join(folder, "assets", "main.js")
  const own = readFileSync(new URL("site/search.js", import.meta.url), "utf8").replaceAll("export const ", "const ")
  let code = readFileSync(path, "utf8")
  const change = (pattern: RegExp, text: string): void => {
    if (!pattern.test(code)) throw new Error(`TypeDoc's search has changed: ${pattern} is not in assets/main.js`)
    code = code.replace(pattern, text)
  }
  change(/(\w)\.split\(" "\)\.map\(\w=>\w\.length\?`\*\$\{\w\}\*`:""\)\.join\(" "\)/, "siteSearch.queryOf($1)")
  change(
    /(\w)\.sort\(\((\w),(\w)\)=>\3\.score-\2\.score\);(?=let \w=Math\.min\(10)/,
    "$1.sort(($2,$3)=>$3.score-$2.score);$1=siteSearch.orderOf(i,$1,r.data.rows);"
  )
  writeFileSync(path, `var siteSearch=(()=>{${own};return{queryOf,orderOf}})();\n${code}`)
}
