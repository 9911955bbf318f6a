/**
 * One text for one JSON value: keys sorted, no space, `undefined` left out as
 * JSON leaves it out. Two values have the same text only if they are the same
 * JSON: a request signed here and sent as JSON text through a browser and a
 * database that reorders keys has the same text there.
 *
 * `Json.canonical` of the core writes `null` for a field that is `undefined`;
 * and this one reads what strangers send, so it takes no stack for what is
 * nested deeply.
 */

/** Text that stands as it is, distinct from a string value. */
class Raw {
  constructor(
    readonly text: string,
    /** What it closes. */
    readonly of?: object
  ) {}
}

const comma = new Raw(",")

export const canonical = (value: unknown): string => {
  let text = ""
  const pending: Array<unknown> = [value]
  const open = new Set<unknown>()
  while (pending.length > 0) {
    const next = pending.pop()
    // A program's own value may be none that JSON can say, and without an end.
    if (open.has(next)) throw new TypeError("A request and its answer are JSON, but one contains itself")
    if (typeof next === "bigint") throw new TypeError("A request and its answer are JSON, but one has a bigint")
    if (next instanceof Raw) {
      text += next.text
      open.delete(next.of)
      continue
    }
    if (typeof next === "object" && next !== null) open.add(next)
    if (Array.isArray(next)) {
      text += "["
      pending.push(new Raw("]", next))
      for (let index = next.length - 1; index >= 0; index--) {
        pending.push(next[index])
        if (index > 0) pending.push(comma)
      }
    } else if (typeof next === "object" && next !== null) {
      text += "{"
      pending.push(new Raw("}", next))
      // Neither an array nor null.
      pushFields(next as { readonly [key: string]: unknown }, pending)
    } else {
      // `undefined` in an array is `null` in JSON; a lone surrogate is escaped, so no two strings have one text.
      text += JSON.stringify(next) ?? "null"
    }
  }
  return text
}

const pushFields = (fields: { readonly [key: string]: unknown }, pending: Array<unknown>): void => {
  const keys = Object.keys(fields)
    .filter((key) => fields[key] !== undefined)
    .sort()
  for (let index = keys.length - 1; index >= 0; index--) {
    const key = keys[index]!
    pending.push(fields[key])
    pending.push(new Raw(`${index > 0 ? "," : ""}${JSON.stringify(key)}:`))
  }
}
