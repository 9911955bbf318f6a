/**
 * Tool names as a provider's API accepts them, and back. Legal names stay as
 * they are; others are replaced by a legal name that says where it comes from
 * and carries a hash of the original, so that equal input gives equal bytes
 * and no two tools of one request share a name.
 */
import type { ToolDefinition } from "@wield/core"

export interface NameMap {
  /** The name to send. Defined for every name, also for one that is in no definition. */
  readonly toNative: (name: string) => string
  /** The definition's name for one that the API sent back; a name that was never mapped is itself. */
  readonly fromNative: (native: string) => string
}

export interface NameRule {
  /** What a whole name must match. A lower-case letter must be legal at every place. */
  readonly pattern: RegExp
  /** In characters. */
  readonly maxLength: number
}

/**
 * A tool that the provider executes keeps the provider's own name for it; an
 * application's tool of that same name has to give way.
 */
export const nameMap = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>, rule: NameRule): NameMap => {
  const isLegal = (name: string): boolean => {
    // A pattern with the flag `g` or `y` remembers where it stopped.
    rule.pattern.lastIndex = 0
    return name.length <= rule.maxLength && rule.pattern.test(name)
  }
  // Maps, not records: `__proto__` is a name that a model may send.
  const natives = new Map<string, string>()
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const put = (name: string, native: string): void => {
    natives.set(name, native)
    if (native !== name) names.set(native, name)
    taken.add(native)
  }
  for (const { name, provider } of definitions) {
    if (provider !== undefined) put(name, provider.name)
  }
  for (const { name, provider } of definitions) {
    if (provider === undefined && !taken.has(name) && isLegal(name)) put(name, name)
  }
  for (const { name } of definitions) {
    if (natives.has(name)) continue
    let native = substitute(name, "", rule, isLegal)
    for (let attempt = 1; taken.has(native); attempt++) native = substitute(name, `${attempt} `, rule, isLegal)
    put(name, native)
  }
  return {
    toNative: (name) => natives.get(name) ?? (isLegal(name) ? name : substitute(name, "", rule, isLegal)),
    fromNative: (native) => names.get(native) ?? native
  }
}

const substitute = (name: string, salt: string, rule: NameRule, isLegal: (name: string) => boolean): string => {
  const suffix = `_${hash(salt + name)}`
  const room = rule.maxLength - suffix.length
  let out = ""
  // By code points, so that a surrogate pair becomes one underscore.
  for (const character of name) {
    if (out.length >= room) break
    if (isLegal(`a${character}`)) out += character
    else out += "_"
  }
  // Gemini: a digit may not come first, though it may come later.
  return isLegal(out + suffix) ? out + suffix : `_${out.slice(0, room - 1)}${suffix}`
}

/** 32-bit FNV-1a over UTF-16 code units, as eight hexadecimal digits. */
const hash = (text: string): string => {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return (value >>> 0).toString(16).padStart(8, "0")
}
