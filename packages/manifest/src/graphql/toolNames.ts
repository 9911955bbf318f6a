/** Names that every provider takes, each given once. */

export interface ToolNames {
  /** A name that is valid and that no other tool has. */
  readonly take: (wanted: string) => string
}

export const make = (): ToolNames => {
  const taken = new Set<string>()
  return {
    take: (wanted) => {
      const name = free(wanted.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, longest) || "tool", taken)
      taken.add(name)
      return name
    }
  }
}

const longest = 64

const free = (name: string, taken: ReadonlySet<string>): string => {
  if (!taken.has(name)) return name
  for (let number = 2; ; number++) {
    const next = `${name.slice(0, longest - 1 - String(number).length)}_${number}`
    if (!taken.has(next)) return next
  }
}
