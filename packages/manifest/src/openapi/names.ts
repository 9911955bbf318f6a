/** Names that every model's API takes: `^[a-zA-Z0-9_-]{1,64}$`, each once. */

const maxLength = 64

/** The name itself, or with the first number behind it that makes it another than those that are taken. */
export const unusedName = (
  wanted: string,
  taken: { readonly has: (name: string) => boolean },
  numbered = (number: number) => `${wanted}_${number}`
): string => {
  let name = wanted
  for (let number = 2; taken.has(name); number++) name = numbered(number)
  return name
}

/** Gives the name itself, or with a number behind it where it is taken; it is taken from then on. */
export type TakeName = (wanted: string) => string

export const makeNames = (): TakeName => {
  const taken = new Set<string>()
  return (wanted) => {
    const base = wanted.slice(0, maxLength)
    const name = unusedName(base, taken, (number) => `${base.slice(0, maxLength - `_${number}`.length)}_${number}`)
    taken.add(name)
    return name
  }
}

export const toolNameOf = (operationId: string | undefined, method: string, path: string): string =>
  toolName(operationId ?? "") || toolName(`${method.toLowerCase()}${path}`) || "operation"

export const toolName = (text: string): string => legal(text, /[^a-zA-Z0-9_-]+/g)

/** A parameter's name, of the characters that all APIs take in a property's name. */
export const parameterNameOf = (name: string): string => legal(name, /[^a-zA-Z0-9_.-]+/g) || "parameter"

const legal = (text: string, illegal: RegExp): string =>
  text
    .replace(illegal, "_")
    // What begins or ends a name by being replaced (`$filter`) is no part of it.
    .replace(/_+$/, (underscores) => (text.endsWith("_") ? underscores : ""))
    .replace(/^_+/, (underscores) => (text.startsWith("_") ? underscores : ""))

export const shorten = (text: string, limit: number): string => {
  const trimmed = text.trim()
  if (trimmed.length <= limit) return trimmed
  sentences ??= new Intl.Segmenter("en", { granularity: "sentence" })
  let taken = ""
  // Sentences beyond the budget need not be found.
  for (const { segment } of sentences.segment(trimmed.slice(0, limit + 1))) {
    if (taken.length + segment.length > limit) break
    taken += segment
  }
  const whole = taken.trimEnd()
  if (whole !== "") return whole
  const words = trimmed.slice(0, Math.max(0, limit - 1))
  const end = words.search(/\s\S*$/)
  return `${(end > 0 ? words.slice(0, end) : words).trimEnd()}…`
}

/** Made when it is needed first: it takes over ten milliseconds. */
let sentences: Intl.Segmenter | undefined
