/** The files of the JSON-Schema-Test-Suite. */
import { Json, type JsonSchema } from "@wield/core"
import { join } from "node:path"
import { filesIn, readJson } from "../folder.js"

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
  ["draft2019-09", "2019-09"],
  ["draft2020-12", "2020-12"]
]

const isGroups = (value: unknown): boolean =>
  Array.isArray(value) && value.every((group) => Json.isObject(group) && Array.isArray(group["tests"]))

export const readCases = (material: string, draft: string): ReadonlyArray<Case> => {
  const folder = join(material, "tests", draft)
  return filesIn(folder, ".json").flatMap((file) => {
    const kind = file.startsWith("optional/format/")
      ? "optional formats"
      : file.startsWith("optional/")
        ? "optional"
        : "required"
    const groups = readJson<ReadonlyArray<Omit<Case, "file" | "kind">>>(join(folder, file), isGroups) ?? []
    return groups.map((group) => ({ ...group, file, kind }))
  })
}

/** What references of the tests lead to, by the address that the suite gives it. */
export const readRemotes = (material: string, draft: string): { readonly [uri: string]: object | boolean } => {
  const folder = join(material, "remotes")
  const ofOtherDrafts = /^(?:draft[\d-]+|v1)\//
  return Object.fromEntries(
    filesIn(folder, ".json")
      .filter((file) => file.startsWith(`${draft}/`) || !ofOtherDrafts.test(file))
      .flatMap((file) => {
        const remote = readJson<object | boolean>(join(folder, file), (value) => Json.isObject(value) || value === true)
        return remote === undefined ? [] : [[`http://localhost:1234/${file}`, remote]]
      })
  )
}
