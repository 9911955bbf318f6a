/** Names of what a module declares: each once, and none that means something already. */

export interface Identifiers {
  readonly take: (wanted: string) => string
}

/** What the module uses, and names of the language that a reader would take for something else. */
const taken =
  "Array ArrayBuffer Boolean Date Effect Error Event Facts File Function Hidden Iterable JSON Map Math Number Object " +
  "Partial Pick Promise Proxy ReadonlyArray Record RegExp Request Required Response Schema Set String Symbol Tool Toolkit " +
  "Tools Toolset TypedTools URL"

export const identifiers = (): Identifiers => {
  const used = new Set(taken.split(" "))
  return {
    take: (wanted) => {
      const base = pascal(wanted)
      let name = base
      for (let number = 2; used.has(name); number++) name = `${base}${number}`
      used.add(name)
      return name
    }
  }
}

/** `get_order` and `getOrder` are `GetOrder`; no name in capitals is a word of the language. */
const pascal = (text: string): string => {
  const joined = text
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("")
  return joined === "" ? "Value" : /^[0-9]/.test(joined) ? `Value${joined}` : joined
}
