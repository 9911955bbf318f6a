/** Which URLs may be asked for at all; where they lead is the client's to judge. */
import * as Either from "effect/Either"
import { UnusableUrl } from "../WebError.js"

export const targetOf = (text: string): Either.Either<URL, UnusableUrl> => {
  const written = text.trim()
  const refused = (reason: UnusableUrl["reason"]) => Either.left(new UnusableUrl({ url: shown(written), reason }))
  if (!URL.canParse(written)) return refused("syntax")
  const url = new URL(written)
  if (url.protocol !== "http:" && url.protocol !== "https:") return refused("protocol")
  if (url.username !== "" || url.password !== "") return refused("credentials")
  url.hash = ""
  return Either.right(url)
}

/** What goes into an error: short, and without the password that may stand in it. */
const shown = (url: string): string => url.replace(/\/\/[^/?#]*@/, "//…@").slice(0, 200)

/** As errors and results show it: a data URL may be as long as a page. */
export const brief = (url: URL): string => (url.href.length > 2000 ? `${url.href.slice(0, 2000)}…` : url.href)
