/**
 * What `@meta` says that concerns tools.
 */
import type { Problem } from "@wield/core/Problem"
import type { Outline } from "./outline.js"

export interface Meta {
  readonly requiredTools: ReadonlyArray<string>
  /** Commands take the script's options, too. */
  readonly isInherited: boolean
  /** What running the script without a command runs. */
  readonly defaultCommand: string | undefined
  readonly problems: ReadonlyArray<Problem>
}

export const metaOf = ({ commands, root }: Outline, file: string): Meta => {
  const problems: Array<Problem> = []
  const requiredTools = new Set<string>()
  let isInherited = false
  let defaultCommand: string | undefined
  for (const section of [root, ...commands]) {
    for (const tag of section.tags) {
      if (tag.tag !== "meta") continue
      const problem = (severity: Problem["severity"], rule: string, message: string): void => {
        problems.push({ severity, rule, message, file, place: tag.place, subject: section.functionName })
      }
      switch (tag.name) {
        case "require-tools": {
          const tools = tag.value.split(/[\s,]+/).filter((tool) => tool !== "")
          if (tools.length === 0)
            problem("error", "malformed-tag", "Expected names of programs, as in `# @meta require-tools jq,curl`")
          for (const tool of tools) requiredTools.add(tool)
          break
        }
        case "inherit-flag-options":
          isInherited = true
          break
        case "default-subcommand":
          defaultCommand = section.functionName
          if (section === root) problem("warning", "ignored", "default-subcommand is ignored: it belongs below a @cmd")
          break
        case "dotenv":
          // The folder's .env reaches every script.
          if (!/^(\.\/)?(\.env)?$/.test(tag.value)) {
            problem(
              "warning",
              "ignored",
              `${tag.value} is not read; put its variables into the .env of the folder, or source it`
            )
          }
          break
        default:
          problem("warning", "ignored", `${tag.name} is ignored: it concerns command lines, not tools`)
      }
    }
  }
  return { requiredTools: [...requiredTools], isInherited, defaultCommand, problems }
}
