/** What is known throughout the import of one specification. */
import type { Json } from "@wield/core"
import type { Options } from "../OpenApi.js"
import type { Problem } from "../Problem.js"
import type { Resolve } from "./reference.js"
import type { Schemas } from "./schemas.js"

export type Path = ReadonlyArray<string | number>

export interface Importing {
  readonly document: Json.JsonSchema
  readonly options: Options
  readonly resolve: Resolve
  /** Schemas of what is sent: without properties that are read-only. */
  readonly inputs: Schemas
  /** Schemas of what is answered: without properties that are write-only. */
  readonly outputs: Schemas
  readonly note: Note
}

export type Note = (
  severity: Problem["severity"],
  rule: string,
  message: string,
  path: Path,
  tool?: string | undefined
) => void

/** Problems as they are found. One that concerns a schema that many operations use is reported once. */
export const notes = (): { readonly note: Note; readonly problems: ReadonlyArray<Problem> } => {
  const problems: Array<Problem> = []
  const noted = new Set<string>()
  return {
    problems,
    note: (severity, rule, message, path, tool) => {
      const key = JSON.stringify([rule, message, path])
      if (noted.has(key)) return
      noted.add(key)
      problems.push({ severity, rule, message, tool, path, place: undefined })
    }
  }
}
