/**
 * Types as docstrings say them, in the words of Python's annotations.
 */

/** `list of str` is `list[str]`, `int or None` is `int | None`, `{'a', 'b'}` is a choice. */
export const annotationOf = (written: string): string => {
  const text = written
    .trim()
    .replace(/^[`~]+|`+$/g, "")
    .replace(/^:(?:py:)?class:`~?(.*)$/, "$1")
  const choice = /^(?:one of\s+)?\{(.*)\}$/.exec(text)?.[1]
  if (choice !== undefined && !/^\w+\s*:/.test(choice)) return `Literal[${choice}]`
  const alternatives = text.split(/\s+or\s+/)
  if (alternatives.length > 1) return alternatives.map((one) => annotationOf(one.replace(/,$/, ""))).join(" | ")
  const of = /^(list|array|sequence|tuple|set|iterable|dict)s?\s+of\s+(.*)$/i.exec(text)
  if (of !== null) return ofItems(of[1]?.toLowerCase() ?? "", annotationOf(of[2] ?? ""))
  return words.get(text.toLowerCase()) ?? text
}

const ofItems = (collection: string, item: string): string => {
  if (collection === "tuple") return `tuple[${item}, ...]`
  if (collection === "dict") return `dict[str, ${item}]`
  return `${collection === "set" ? "set" : "list"}[${item}]`
}

const words: ReadonlyMap<string, string> = new Map([
  ["string", "str"],
  ["strings", "str"],
  ["strs", "str"],
  ["text", "str"],
  ["integer", "int"],
  ["integers", "int"],
  ["ints", "int"],
  ["number", "float"],
  ["numbers", "float"],
  ["floats", "float"],
  ["double", "float"],
  ["boolean", "bool"],
  ["booleans", "bool"],
  ["bools", "bool"],
  ["array", "list"],
  ["sequence", "list"],
  ["dictionary", "dict"],
  ["mapping", "dict"],
  ["dicts", "dict"],
  ["none", "None"],
  ["null", "None"],
  ["any", "Any"]
])
