/** The files of the JSON-Schema-Test-Suite. */
import type { JsonSchema } from "@wield/core"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { filesIn } from "../folder.js"

export type Kind = "required" | "optional" | "optional formats"

export interface Case {
  /** From the draft's folder. */
  readonly file: string
  readonly kind: Kind
  readonly description: string
  readonly schema: { readonly [keyword: string]: unknown } | boolean
  readonly tests: ReadonlyArray<{ readonly description: string; readonly data: unknown; readonly valid: boolean }>
}

/** The drafts by their folder. */
export const drafts: ReadonlyArray<readonly [folder: string, draft: JsonSchema.Draft]> = [
  ["draft7", "draft-07"],
  ["draft2020-12", "2020-12"]
]

// The suite's own schema states these shapes; a file that breaks them fails the run.
const readJson = <A>(...path: ReadonlyArray<string>): A => JSON.parse(readFileSync(join(...path), "utf8")) as A

export const readCases = (material: string, draft: string): ReadonlyArray<Case> => {
  const folder = join(material, "tests", draft)
  return filesIn(folder, ".json").flatMap((file) => {
    const kind = file.startsWith("optional/format/")
      ? "optional formats"
      : file.startsWith("optional/")
        ? "optional"
        : "required"
    return readJson<ReadonlyArray<Omit<Case, "file" | "kind">>>(folder, file).map((group) => ({ ...group, file, kind }))
  })
}

/** What references of the tests lead to, by the address that the suite gives it. */
export const readRemotes = (material: string, draft: string): { readonly [uri: string]: object | boolean } => {
  const folder = join(material, "remotes")
  const ofOtherDrafts = /^(?:draft[\d-]+|v1)\//
  return Object.fromEntries(
    filesIn(folder, ".json")
      .filter((file) => file.startsWith(`${draft}/`) || !ofOtherDrafts.test(file))
      .map((file) => [`http://localhost:1234/${file}`, readJson<object | boolean>(folder, file)])
  )
}
