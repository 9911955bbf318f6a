/** What can be read of a JSON text of which only the beginning has come. */

/** There is no value yet. */
export const nothing: unique symbol = Symbol("nothing")

/**
 * The value so far: texts, arrays and objects as far as they have come. A number, `true`, `false` or `null` counts once
 * something stands behind it, for `12` may become `120`. `nothing` where no value has begun, or the text is no JSON.
 */
export const partialJson = (text: string): unknown => new Reader(text).value(0)

/** No schema is deeper. */
const maxDepth = 200

const blank = /\s*/y
const literal = /(?:true|false|null|-?\d[\d.eE+-]*)(?=[\s,\]}])/y
const string = /"((?:[^"\\]|\\(?:u[\da-fA-F]{4}|[^u]))*)(")?/y

class Reader {
  #at = 0
  constructor(readonly text: string) {}

  value(depth: number): unknown {
    const next = this.#next()
    if (depth > maxDepth) return nothing
    if (next === '"') return this.#string()?.text ?? nothing
    if (next === "[") {
      const items: Array<unknown> = []
      this.#each("]", () => {
        const item = this.value(depth + 1)
        if (item !== nothing) items.push(item)
        return item !== nothing
      })
      return items
    }
    if (next !== "{") return this.#literal()
    const fields: Array<[string, unknown]> = []
    this.#each("}", () => {
      const key = this.#next() === '"' ? this.#string() : undefined
      if (key?.isWhole !== true || this.#next() !== ":") return false
      this.#at++
      const value = this.value(depth + 1)
      if (value !== nothing) fields.push([key.text, value])
      return value !== nothing
    })
    // Not by assignment: `__proto__` may be a key.
    return Object.fromEntries(fields)
  }

  /** The next sign that is not blank; none at the end. */
  #next(): string | undefined {
    this.#take(blank)
    return this.text[this.#at]
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.text)
    if (found !== null) this.#at = pattern.lastIndex
    return found
  }

  /** Reads one after the other, as long as `read` has read a whole one. */
  #each(end: string, read: () => boolean): void {
    do {
      this.#at++
      if (this.#next() === end) {
        this.#at++
        return
      }
    } while (read() && this.#next() === ",")
    if (this.#next() === end) this.#at++
  }

  /** What stands behind a text that is not whole is the half of an escape, or nothing. */
  #string(): { readonly text: string; readonly isWhole: boolean } | undefined {
    const found = this.#take(string)
    if (found === null) return undefined
    try {
      const isWhole = found[2] !== undefined
      if (!isWhole) this.#at = this.text.length
      return { text: String(JSON.parse(`"${found[1]}"`)), isWhole }
    } catch {
      return undefined
    }
  }

  #literal(): unknown {
    const found = this.#take(literal)
    try {
      return found === null ? nothing : JSON.parse(found[0])
    } catch {
      return nothing
    }
  }
}
