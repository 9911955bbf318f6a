/** Where do the links of a page lead, when the page stands elsewhere than in the repository? */
import { dirname, join, normalize, relative } from "node:path"

export const repository = "https://github.com/wield-tools/wield/blob/main"

/** Pages of packages name files of the repository by their address, for they are read where the repository is not. */
const address = /^https:\/\/github\.com\/wield-tools\/wield\/(?:blob|tree)\/main\//

/** The path of a file of the repository, or undefined, if the link leads elsewhere. */
export const pathOf = (link: string, page: string): string | undefined => {
  if (address.test(link)) return link.replace(address, "")
  return /^[a-z]+:/.test(link) || link.startsWith("#") ? undefined : normalize(join(dirname(page), link))
}

/** `place` gives the path at which a file of the repository stands beside the page, or undefined: it is then linked by its address. */
export const rewriteLinks = (
  text: string,
  page: string,
  place: (path: string) => string | undefined,
  from: string = page
): string =>
  text.replace(/\]\(([^)#\s]+)(#[^)\s]*)?\)/g, (whole, link: string, anchor = "") => {
    const path = pathOf(link, page)
    if (path === undefined) return whole
    const placed = place(path)
    return `](${placed === undefined ? `${repository}/${path}` : relative(dirname(from), placed).replaceAll("\\", "/")}${anchor})`
  })
