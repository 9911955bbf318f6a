/** What is known throughout the import of one specification. */
import type { Json } from "@wield/core"
import type { Options } from "../OpenApi.js"
import type { Path, Severity } from "../ManifestProblem.js"
import type { Resolve } from "./reference.js"
import type { Schemas } from "./schemas.js"

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

export type Note = (severity: Severity, rule: string, message: string, path: Path, tool?: string | undefined) => void
