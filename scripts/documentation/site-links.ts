/** Which links of a folder of HTML lead nowhere? Links to other hosts are not tried; pictures lie in the folder. */
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
  readonly images: ReadonlyArray<string>
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll("&amp;", "&"))

const pageOf = (html: string): Page => ({
  anchors: new Set(Array.from(html.matchAll(/\sid="([^"]+)"/g), ([, id = ""]) => decode(id))),
  links: Array.from(html.matchAll(/\s(?:href|src)="([^"]*)"/g), ([, url = ""]) => url),
  images: Array.from(html.matchAll(/<img\s[^>]*?src="([^"]*)"/g), ([, url = ""]) => url)
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
  // A picture of another host is not tried, and one of the repository's pages is no picture.
  return [...pages].flatMap(([page, { images, links }]) =>
    [...new Set(links)]
      .filter((url) => (/^[a-z]+:/.test(url) ? images.includes(url) : url !== "#" && !leadsSomewhere(page, url)))
      .map((url) => ({ page, url }))
  )
}
