/** A page of TypeDoc as Markdown, for who reads no HTML: its headings, comments, signatures and links. */

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&", nbsp: " " }

const decode = (text: string): string =>
  text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    return entities[name ?? ""] ?? whole
  })

/** Of code, where `<br/>` ends a line and everything else has its place already. */
const codeOf = (html: string): string =>
  decode(
    html
      .replaceAll(/<button[^]*?<\/button>/g, "")
      .replaceAll(/<br\s*\/?>/g, "\n")
      .replaceAll(/<[^>]+>/g, "")
  ).replaceAll("\u00a0", " ")

const inline = (html: string): string =>
  html
    .replaceAll(/<a [^>]*class="tsd-anchor-icon"[^>]*>[^]*?<\/a>/g, "")
    .replaceAll(/<code[^>]*>([^]*?)<\/code>/g, (_, code: string) => `\`${codeOf(code)}\``)
    .replaceAll(/<a [^>]*?href="([^"]*)"[^>]*>([^]*?)<\/a>/g, (_, url: string, text: string) => {
      const label = text.replaceAll(/<[^>]+>/g, "").trim()
      return label === "" ? "" : `[${label}](${/^[a-z]+:/.test(url) ? url : url.replace(/\.html(?=#|$)/, ".md")})`
    })
    .replaceAll(/<\/?(?:strong|b)>/g, "**")
    .replaceAll(/<\/?(?:em|i)>/g, "*")

export const toMarkdown = (html: string): string => {
  const [, main = ""] =
    /<(?:main|div) class="col-content">([^]*?)<\/(?:main|div)>\s*<div class="col-sidebar">/.exec(html) ?? []
  // Code is kept apart, so that nothing within is taken as HTML again.
  const kept: Array<string> = []
  const keep = (code: string, language: string): string => {
    kept.push(`\n\n\`\`\`${language}\n${codeOf(code).trim()}\n\`\`\`\n\n`)
    return `\uE000${kept.length - 1}\uE000`
  }
  const text = main
    .replaceAll(/<svg[^]*?<\/svg>|<nav class="site-ends"[^]*?<\/nav>|<ul class="tsd-breadcrumb"[^]*?<\/ul>/g, "")
    .replaceAll(/<pre[^>]*><code class="(\w*)[^>]*>([^]*?)<\/code>[^]*?<\/pre>/g, (_, language: string, code: string) =>
      keep(code, language)
    )
    .replaceAll(/<div class="tsd-signature[^>]*>([^]*?)<\/div>/g, (_, code: string) => keep(code, "ts"))
  const lines = inline(text)
    .replaceAll(/<h([1-6])[^>]*>/g, (_, level: string) => `\n\n${"#".repeat(Number(level))} `)
    .replaceAll(/<(?:li|dt)[^>]*>/g, "\n- ")
    .replaceAll(/<dd[^>]*>/g, "  ")
    .replaceAll(/<\/(?:p|h[1-6]|ul|dl|section|details|div|table)>/g, "\n\n")
    .replaceAll(/<[^>]+>/g, "")
  return `${decode(lines)
    .replaceAll(/\uE000(\d+)\uE000/g, (_, index: string) => kept[Number(index)] ?? "")
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/^- *\n+/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()}\n`
}
