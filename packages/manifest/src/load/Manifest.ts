/**
 * What a manifest is once it has been read.
 */
import type { Json } from "@wield/core"
import type { Entry, Source } from "../ManifestEntry.js"
import type { Problem } from "../Problem.js"

/** An API as the configuration declares it. Its texts are as they were written: `${NAME}` is not filled in. */
export interface ApiDeclaration {
  /** `default` where the configuration gives no name. */
  readonly name: string
  /** Lower case. */
  readonly type: string
  /** Without `type`. */
  readonly configuration: { readonly [key: string]: unknown }
  readonly source: Source | undefined
}

export interface Manifest {
  readonly entries: ReadonlyArray<Entry>
  readonly apis: ReadonlyArray<ApiDeclaration>
  /** Hidden fields of all entries that name none themselves, with their marks (`region?`); already applied to them. */
  readonly context: ReadonlyArray<string>
  readonly prompt: string | undefined
  /** As the file has it. */
  readonly model: Json.JsonSchema | undefined
  /** Warnings: what is an error keeps the manifest from being read. */
  readonly problems: ReadonlyArray<Problem>
}
