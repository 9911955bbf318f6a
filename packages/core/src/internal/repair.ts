/**
 * Repairs of argument text that is not JSON but can mean only one thing: empty
 * text, a Markdown code fence around it, commas before a closing bracket.
 */
import type { Repair } from "../Note.js"

export const repaired = (
  text: string
): { readonly value: unknown; readonly repairs: ReadonlyArray<Repair> } | undefined => {
  const repairs: Array<Repair> = []
  let current = text.trim()
  const fenced = /^```[a-zA-Z]*\s*\n?([\s\S]*?)\n?\s*```$/.exec(current)
  if (fenced?.[1] !== undefined) {
    current = fenced[1].trim()
    repairs.push("code-fence")
  }
  if (current === "") return { value: {}, repairs: [...repairs, "empty-text"] }
  const withoutCommas = withoutTrailingCommas(current)
  if (withoutCommas !== current) repairs.push("trailing-comma")
  if (repairs.length === 0) return undefined
  // JSON.parse is the judge of whether the repair made it JSON.
  try {
    return { value: JSON.parse(withoutCommas), repairs }
  } catch {
    return undefined
  }
}

/** Commas that stand, outside of strings, before a closing bracket. */
const withoutTrailingCommas = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (match) => (match === "," ? "" : match))
