/** Elements as Markdown: links are kept, and the words of pictures. */
import TurndownService from "turndown"

/** A service of its own each time: rules are added to it, and it is shared by nobody. */
export const markdownOf = (element: HTMLElement): string => {
  const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
  service.addRule("picture", { filter: "img", replacement: (_, node) => words(node.getAttribute("alt")) })
  service.addRule("cell", { filter: ["td", "th"], replacement: (content) => `| ${oneLine(content)} ` })
  service.addRule("row", { filter: "tr", replacement: (content) => `${content.trim()} |\n` })
  return service.turndown(element)
}

const oneLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")

const words = (text: string | null): string => (text === null || text.trim() === "" ? "" : `[image: ${text.trim()}]`)
