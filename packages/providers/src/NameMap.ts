/**
 * Tool names as a provider's API accepts them, and back: for a client that sends tools by other means than a wire format
 * of this package.
 */
import type { ToolDefinition } from "@wield/core"
import { hash } from "./internal/shortHash.js"

/**
 * Names both ways.
 *
 * @category models
 */
export interface NameMap {
  /** The name to send. Defined for every name, also for one that is in no definition. */
  readonly toNative: (name: string) => string
  /** The definition's name for one that the API sent back; a name that was never mapped is itself. */
  readonly fromNative: (native: string) => string
}

/**
 * Which names an API accepts.
 *
 * @category models
 */
export interface NameRule {
  /** What a whole name must match. A lower-case letter must be legal at every place. */
  readonly pattern: RegExp
  /** In characters. */
  readonly maxLength: number
}

/**
 * The names of a request's tools as an API with this rule accepts them. Legal names stay. Any other becomes a legal one
 * with a hash of it, so that no two tools of a request share a name and equal input gives equal names. A tool that the
 * provider runs keeps the provider's name; an application's tool of that name gets another.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolDefinition } from "@wield/core"
 * import { NameMap } from "@wield/providers"
 *
 * const names = NameMap.make([ToolDefinition.make({ name: "orders/list" })], {
 *   pattern: /^[a-zA-Z0-9_-]+$/,
 *   maxLength: 64
 * })
 * const native = names.toNative("orders/list")
 * assert.match(native, /^orders_list_[0-9a-f]{8}$/)
 * assert.strictEqual(names.fromNative(native), "orders/list")
 * ```
 *
 * @category constructors
 */
export const make = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>, rule: NameRule): NameMap => {
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
  const known = (native: string) => names.get(native) ?? (natives.has(native) ? native : undefined)
  return {
    toNative: (name) => natives.get(name) ?? (isLegal(name) ? name : substitute(name, "", rule, isLegal)),
    fromNative: (native) => known(native) ?? known(native.replace(wrapping, "")) ?? native
  }
}

/** What models write around a name: a namespace of their prompt (GPT, Gemini), and the channel that follows it (gpt-oss). */
const wrapping = /^(functions|default_api)[.:]|<\|.*$/gs

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
