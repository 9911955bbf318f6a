/** Which links of a folder of HTML lead nowhere? Links to other hosts are not tried. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

export interface DeadLink {
  /** Relative to the folder. */
  readonly page: string
  readonly url: string
}

interface Page {
  readonly anchors: ReadonlySet<string>
  readonly links: ReadonlyArray<string>
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll("&amp;", "&"))

const pageOf = (html: string): Page => ({
  anchors: new Set(Array.from(html.matchAll(/\sid="([^"]+)"/g), ([, id = ""]) => decode(id))),
  links: Array.from(html.matchAll(/\s(?:href|src)="([^"]*)"/g), ([, url = ""]) => url)
})

export const findDeadLinks = (folder: string): ReadonlyArray<DeadLink> => {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"))
  const pages = new Map(names.map((name) => [name, pageOf(readFileSync(join(folder, name), "utf8"))]))
  const leadsSomewhere = (page: string, url: string): boolean => {
    const [path = "", anchor = ""] = decode(url).split("#")
    const target = path === "" ? page : normalize(join(dirname(page), path))
    if (anchor === "" || !target.endsWith(".html"))
      return existsSync(join(folder, target)) && statSync(join(folder, target)).isFile()
    return pages.get(target)?.anchors.has(anchor) === true
  }
  return [...pages].flatMap(([page, { links }]) =>
    [...new Set(links)]
      .filter((url) => !/^[a-z]+:/.test(url) && url !== "#" && !leadsSomewhere(page, url))
      .map((url) => ({ page, url }))
  )
}
