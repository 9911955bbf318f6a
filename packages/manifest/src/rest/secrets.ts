/** Credentials that an API says again in an answer are taken out of it. */
import { Secret } from "@wield/core"
import * as Redacted from "effect/Redacted"

/** Shorter ones are in every text. */
const shortest = 4

/** How the secrets may be written in an answer. */
export const spellingsOf = (secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  Secret.spellingsOf(secrets.filter(({ length }) => length >= shortest))

/** A secret given in code as a text, or as a `Redacted` one. */
export const reveal = (secret: string | Redacted.Redacted): string =>
  Redacted.isRedacted(secret) ? Redacted.value(secret) : secret
