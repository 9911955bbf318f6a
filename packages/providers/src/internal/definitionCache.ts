/**
 * What is derived from a definition is derived once: definitions are values,
 * so their identity stands for their content, and a request with a hundred
 * tools costs a hundred look-ups after the first.
 */
import type { ToolDefinition } from "@wield/core"

/**
 * Remembers per definition what was made of it under its native name. The name
 * depends on the other tools of the request too, so a definition that is
 * mapped differently now is made again.
 */
export const definitionCache = <A>(
  make: (definition: ToolDefinition.ToolDefinition, nativeName: string) => A
): ((definition: ToolDefinition.ToolDefinition, nativeName: string) => A) => {
  const cache = new WeakMap<ToolDefinition.ToolDefinition, { readonly nativeName: string; readonly made: A }>()
  return (definition, nativeName) => {
    const known = cache.get(definition)
    if (known !== undefined && known.nativeName === nativeName) return known.made
    const made = make(definition, nativeName)
    cache.set(definition, { nativeName, made })
    return made
  }
}
