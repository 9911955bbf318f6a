/**
 * Ends interpreters that have loaded what is no longer so.
 */
import * as Effect from "effect/Effect"
import type { Language, Script } from "../Script.js"
import type { ScriptExecutor } from "../ScriptExecutor.js"
import type { Kept } from "./keep.js"
import { stemOf } from "./languages.js"
import { languagesOf } from "./walk.js"

type Files = ReadonlyMap<string, Kept>

/** `changes` are the paths of all files below the folder that are other than before. */
export const forgetChanged = (
  executor: ScriptExecutor,
  before: Files,
  after: Files,
  changes: ReadonlyArray<string>
): Effect.Effect<void> => {
  const scripts = scriptsOf(before)
  const current = scriptsOf(after)
  const altered = scripts.filter(
    ({ file, text }) => !current.some((other) => other.file === file && other.text === text)
  )
  // What a script imports, directly or not, cannot be told from its text; but a
  // tool that is imported by another is named there.
  const isTool = (file: string) => [...scripts, ...current].some((script) => script.file === file)
  const languages = new Set<Language>(changes.filter((file) => !isTool(file)).flatMap(languagesOf))
  const tools = changes.filter(isTool)
  const importing = scripts.filter(
    ({ file, language, text }) =>
      languages.has(language) ||
      tools.some((other) => other !== file && languagesOf(other).includes(language) && text.includes(stemOf(other)))
  )
  return Effect.forEach(new Set([...altered, ...importing].map(({ file }) => file)), executor.forget, { discard: true })
}

const scriptsOf = (files: Files): ReadonlyArray<Script> => [...files.values()].flatMap(({ used }) => used.script ?? [])
