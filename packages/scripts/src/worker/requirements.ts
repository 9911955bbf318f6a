/** What a script needs of the machine, and what of it is missing. */
import type { Problem } from "@wield/core/Problem"
import type { Script } from "../Script.js"
import type { Environment } from "@wield/process"
import { findCommand } from "../process/interpreter.js"

export interface Missing {
  readonly reason: "tool-missing" | "environment-missing"
  readonly detail: string
  readonly place: Problem["place"]
  readonly subject: string
}

/** The defaults of variables that the script declares and nothing sets. */
export const defaultVariables = (script: Pick<Script, "environment">): Environment.Variables =>
  Object.fromEntries(
    script.environment.flatMap((variable) =>
      variable.default === undefined ? [] : [[variable.name, variable.default]]
    )
  )

export const findMissing = (
  script: Pick<Script, "requiredTools" | "environment">,
  variables: Environment.Variables,
  workingDirectory: string
): ReadonlyArray<Missing> => {
  const tools = script.requiredTools
    .filter((tool) => findCommand(tool, variables, workingDirectory) === undefined)
    .map((tool): Missing => ({
      reason: "tool-missing",
      detail: `${tool}, which it requires, is not on the path; install it`,
      place: undefined,
      subject: tool
    }))
  const environment = script.environment.flatMap(({ choices, isRequired, name, place }): ReadonlyArray<Missing> => {
    const value = variables[name]
    if (value === undefined) {
      const detail = `${name}, which it requires, is not set; set it in the .env of its folder, in environment.set, or pass it`
      return isRequired ? [{ reason: "environment-missing", detail, place, subject: name }] : []
    }
    if (choices === undefined || choices.includes(value)) return []
    const detail = `${name} has another value than ${choices.join(", ")}`
    return [{ reason: "environment-missing", detail, place, subject: name }]
  })
  return [...tools, ...environment]
}
