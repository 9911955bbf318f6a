/** What an import leaves out or guesses, as warnings; the same thing is said once. */
import type { Place } from "../ManifestEntry.js"
import type { Problem, Severity } from "../Problem.js"

export interface Report {
  readonly add: (
    tool: string | undefined,
    rule: string,
    message: string,
    where?: { readonly severity?: Severity; readonly place?: Place | undefined }
  ) => void
  /** Says what several things have in common; nothing for none. */
  readonly list: (tool: string, rule: string, names: ReadonlyArray<string>, message: string) => void
  /** A custom scalar without a mapping: said once, whatever it is used in. */
  readonly scalar: (name: string) => void
  readonly problems: () => ReadonlyArray<Problem>
}

export const make = (): Report => {
  const problems: Array<Problem> = []
  const scalars = new Set<string>()
  const add: Report["add"] = (tool, rule, message, where = {}) => {
    problems.push({ severity: where.severity ?? "warning", rule, message, tool, path: [], place: where.place })
  }
  return {
    add,
    list: (tool, rule, names, message) => {
      if (names.length === 0) return
      const rest = names.length > shown ? ` and ${names.length - shown} more` : ""
      add(tool, rule, `${names.slice(0, shown).join(", ")}${rest}: ${message}`)
    },
    scalar: (name) => {
      if (scalars.has(name)) return
      scalars.add(name)
      add(
        undefined,
        "scalar-without-schema",
        `What the scalar ${name} looks like in JSON is not known, and a text is assumed: give its JSON Schema in \`scalars\``
      )
    },
    problems: () => problems
  }
}

const shown = 10
