/** A call in Python source, as the ground truth of multi-turn cases is written: literals only. */

export interface PythonCall {
  readonly name: string
  readonly positional: ReadonlyArray<unknown>
  readonly named: { readonly [name: string]: unknown }
}

export const parseCall = (text: string): PythonCall | undefined => {
  const reader = new Reader(text)
  const name = reader.take(/[\w.]+/y)
  if (name === undefined || !reader.skip("(")) return undefined
  const positional: Array<unknown> = []
  const named: Record<string, unknown> = {}
  while (!reader.skip(")")) {
    const keyword = reader.take(/\w+\s*=(?!=)/y)?.replace(/\s*=$/, "")
    const value = reader.value()
    if (value === failed) return undefined
    if (keyword === undefined) positional.push(value)
    else named[keyword] = value
    if (!reader.skip(",") && !reader.isAt(")")) return undefined
  }
  return { name, positional, named }
}

const failed = Symbol("failed")

class Reader {
  #at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  take(pattern: RegExp): string | undefined {
    this.#space()
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  isAt(mark: string): boolean {
    this.#space()
    return this.#text.startsWith(mark, this.#at)
  }

  skip(mark: string): boolean {
    if (!this.isAt(mark)) return false
    this.#at += mark.length
    return true
  }

  value(): unknown {
    const number = this.take(/-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y)
    if (number !== undefined) return Number(number)
    const word = this.take(/True|False|None/y)
    if (word !== undefined) return word === "None" ? null : word === "True"
    const text = this.take(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/sy)
    if (text !== undefined) return unescaped(text.slice(1, -1))
    if (this.skip("[")) return this.#items("]")
    if (this.skip("(")) return this.#items(")")
    return this.skip("{") ? this.#entries() : failed
  }

  #items(end: string): unknown {
    const items: Array<unknown> = []
    while (!this.skip(end)) {
      const item = this.value()
      if (item === failed || !(this.skip(",") || this.isAt(end))) return failed
      items.push(item)
    }
    return items
  }

  #entries(): unknown {
    const entries: Array<[string, unknown]> = []
    while (!this.skip("}")) {
      const key = this.value()
      if (key === failed || !this.skip(":")) return failed
      const value = this.value()
      if (value === failed || !(this.skip(",") || this.isAt("}"))) return failed
      entries.push([String(key), value])
    }
    return Object.fromEntries(entries)
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++
  }
}

const escapes: { readonly [letter: string]: string } = { n: "\n", t: "\t", r: "\r", "\n": "" }

const unescaped = (text: string): string => text.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter)
