/**
 * Environment variables that a script declares.
 */
import type { EnvironmentVariable } from "../Script.js"
import type { BoundVariable } from "./Binding.js"
import type { VariableTag } from "./Tag.js"

export const boundVariable = ({ choices, default: initial, isRequired, name }: VariableTag): BoundVariable => ({
  name,
  isRequired,
  default: initial?.type === "value" ? initial.value : undefined,
  defaultFunction: initial?.type === "function" ? initial.name : undefined,
  choices: choices?.type === "values" ? choices.values : undefined,
  choicesFunction: choices?.type === "function" && choices.isValidated ? choices.name : undefined
})

// Scripts declare it as `LLM_OUTPUT=/dev/stdout`, to be run by hand, too: Wield sets these itself.
const isOwn = (name: string): boolean => /^LLM_(OUTPUT|ROOT_DIR|TOOL_NAME|TOOL_CACHE_DIR)$/.test(name)

/** What the environment has to have, each variable once: required where one section requires it. */
export const environmentOf = (tags: ReadonlyArray<VariableTag>): ReadonlyArray<EnvironmentVariable> => {
  const variables = new Map<string, EnvironmentVariable>()
  for (const tag of tags) {
    if (isOwn(tag.name)) continue
    const { choices, default: initial, defaultFunction, isRequired, name } = boundVariable(tag)
    const before = variables.get(name)
    variables.set(name, {
      name,
      description: before?.description ?? (tag.description === "" ? undefined : tag.description),
      isRequired:
        (before?.isRequired ?? false) || (isRequired && initial === undefined && defaultFunction === undefined),
      default: before?.default ?? initial,
      choices: before === undefined ? choices : before.choices,
      place: before?.place ?? tag.place
    })
  }
  return [...variables.values()]
}
