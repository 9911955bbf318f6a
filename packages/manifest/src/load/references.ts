/**
 * What a configuration names as `functions`: local tools, and files of client
 * tools.
 */
import { Json } from "@wield/core"
import type { Path } from "../Problem.js"

export interface Reference {
  readonly text: string
  readonly path: Path
  /** A path; else the name of a local tool. */
  readonly isFile: boolean
}

export const referencesOf = (root: unknown): ReadonlyArray<Reference> => {
  const functions = Json.isObject(root) ? root["functions"] : undefined
  const given = typeof functions === "string" ? [{ text: functions, path: ["functions"] }] : listed(functions)
  return given.map(({ path, text }) => ({ path, text, isFile: isFile(text) }))
}

const listed = (functions: unknown): ReadonlyArray<{ readonly text: string; readonly path: Path }> =>
  Array.isArray(functions)
    ? functions.flatMap((text: unknown, index) =>
        typeof text === "string" ? [{ text, path: ["functions", index] }] : []
      )
    : []

/** No name of a tool has a slash or a dot. */
const isFile = (text: string): boolean => /[/\\]|\.(?:jsonc?|ya?ml)$/i.test(text)
