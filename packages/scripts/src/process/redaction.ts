/** Replaces values of secret variables in what a script answers, prints and fails with. */
import type { Json } from "@wield/core"
import * as Secret from "@wield/core/Secret"

/** A shorter value would be found in texts that have nothing to do with it. */
const shortest = 6

export type Redaction = ReturnType<typeof redactionOf>

const redactionOf = (spellings: ReadonlyArray<string>) => {
  const longest = (of: (secret: string) => number): number =>
    spellings.reduce((length, spelling) => Math.max(length, of(spelling)), 0)
  return {
    /** Whether a text, or a JSON text, holds a secret. */
    isIn: (given: string) => spellings.some((spelling) => given.includes(spelling)),
    text: (given: string) => Secret.hide(given, spellings),
    json: (value: Json.Json) => (spellings.length === 0 ? value : Secret.hideIn(value, spellings)),
    /** How many characters at the end of a text may be the beginning of a secret. */
    beginning: (given: string) => longest((spelling) => beginningOf(given, spelling)),
    /** How many characters at the beginning of a text that was cut off may be the end of a secret. */
    ending: (given: string) => longest((spelling) => endingOf(given, spelling))
  }
}

/** Where nothing is secret. */
export const noRedaction = redactionOf([])

const beginningOf = (text: string, secret: string): number => {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return length
  }
  return 0
}

const endingOf = (text: string, secret: string): number => {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--) {
    if (text.startsWith(secret.slice(-length))) return length
  }
  return 0
}

/** Unless `names` says which variables are secret, their names do, and credentials within any value are, too. */
export const makeRedaction = (
  environment: { readonly [name: string]: string },
  names: ReadonlyArray<string> | undefined
): Redaction => {
  const values = Object.entries(environment).flatMap(([name, value]) => {
    const isSecret = names === undefined ? Secret.isName(name) : names.includes(name)
    if (!isSecret && names !== undefined) return []
    return [...(isSecret ? [value] : []), ...Secret.partsOf(value)]
  })
  const spellings = Secret.spellingsOf(values.filter((value) => value.length >= shortest))
  return spellings.length === 0 ? noRedaction : redactionOf(spellings)
}
