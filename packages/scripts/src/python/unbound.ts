/**
 * Types that a file uses without importing them: what they mean is known here,
 * but not to Python, which fails when it loads the file.
 */
import type { Node } from "../syntax/treeSitter.js"
import { knownTypes, listTypes, mappingTypes, setTypes, transparentTypes } from "./knownTypes.js"
import { type Owner, type Reading, report } from "./reading.js"

const builtIn: ReadonlySet<string> = new Set(
  "str int float bool None object bytes bytearray list tuple set frozenset dict".split(" ")
)

const special: ReadonlySet<string> = new Set("Optional Union Literal Annotated Tuple Counter".split(" "))

/** Of the other modules that typing does not have, too. */
const modules: ReadonlyMap<string, string> = new Map([
  ["deque", "collections"],
  ["defaultdict", "collections"],
  ["NoneType", "types"]
])

/** `name` is what `node` means. Of names that mean nothing, it is told elsewhere that they are not known. */
export const warnOfUnbound = (node: Node, name: string, reading: Reading, owner: Owner): void => {
  const { bindings, importsAll } = reading.module
  const [first = "", ...rest] = node.text.split(".")
  // A text, of a docstring or in quotes, is read by nobody but us.
  if (importsAll || owner.place !== undefined || bindings.has(first) || !isKnown(name)) return
  if (rest.length === 0 && builtIn.has(first)) return
  const line = rest.length > 0 ? `import ${first}` : `from ${modules.get(first) ?? "typing"} import ${first}`
  report(reading, {
    severity: "warning",
    rule: "missing-import",
    message: `\`${first}\` is not imported, and so Python cannot load the file: write \`${line}\` at its top; the type of ${owner.subject} needs it`,
    at: node,
    subject: owner.subject
  })
}

const isKnown = (name: string): boolean =>
  [knownTypes, listTypes, setTypes, mappingTypes, transparentTypes, special].some((names) => names.has(name))
