/** Credentials that an API says again in an answer are taken out of it. */
import { Secret } from "@wield/core"
import * as Redacted from "effect/Redacted"

/** Shorter ones are in every text. */
const shortest = 4

export const spellingsOf = (secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  Secret.spellingsOf(secrets.filter(({ length }) => length >= shortest))

export const reveal = (secret: string | Redacted.Redacted): string =>
  Redacted.isRedacted(secret) ? Redacted.value(secret) : secret
