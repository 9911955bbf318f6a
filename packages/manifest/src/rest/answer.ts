/** What the model is given of an answer. */
import * as Content from "@wield/core/Content"
import * as Json from "@wield/core/Json"
import * as Secret from "@wield/core/Secret"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import { RequestFailed, StatusError } from "../ExecutorError.js"
import type { Answer } from "./exchange.js"
import { bareType } from "./mediaType.js"

/** A JSON value, a text, `Content.Answer` for what is neither, `null` for nothing. */
export const valueOf = (
  answer: Answer,
  secrets: ReadonlyArray<string>,
  /** A part of the answer is asked for, so that it has to be JSON whatever its type says. */
  isJsonNeeded: boolean
): Effect.Effect<unknown, RequestFailed> =>
  Effect.suspend(() => {
    const { bytes, headers } = answer
    if (bytes.byteLength === 0) return isJsonNeeded ? notJson("is empty") : Effect.succeed(null)
    const type = Secret.hide(headers["content-type"] ?? "", secrets)
    const kind = isJsonNeeded ? "json" : kindOf(type)
    if (kind === "binary") return contentOf(answer, bareType(type), secrets)
    if (kind === "unknown" && !isText(bytes)) return contentOf(answer, "application/octet-stream", secrets)
    const text = decoded(bytes, type)
    if (kind === "text") return Effect.succeed(Secret.hide(text, secrets))
    return Effect.try((): unknown => withoutSecrets(text, secrets)).pipe(
      Effect.catchAll(() =>
        kind === "unknown"
          ? Effect.succeed(Secret.hide(text, secrets))
          : notJson(`is no JSON, and has the type ${shown(type)}`)
      )
    )
  })

/** The failure that an answer without success is, with the beginning of what it says. */
export const statusErrorOf = (answer: Answer, secrets: ReadonlyArray<string>): StatusError => {
  const { bytes, headers, isCut, status } = answer
  const type = headers["content-type"] ?? ""
  const whole = kindOf(type) === "binary" ? "" : decoded(bytes, type)
  if (whole === "") return new StatusError({ status })
  // Within JSON a secret may be written with escapes, so it is looked for in the value.
  const value = isCut || whole.length > maxErrorText ? undefined : parsed(whole, secrets)
  if (value !== undefined) return new StatusError({ status, body: value })
  const text = Secret.hide(whole, secrets)
  return new StatusError({ status, body: text.length > maxErrorText ? `${text.slice(0, maxErrorText)} …` : text })
}

/** In UTF-16 units; what is read of an error is longer, so that no secret is cut in two at its end. */
const maxErrorText = 4096

const parsed = (text: string, secrets: ReadonlyArray<string>): unknown =>
  // Any other body is given as text, so the reason does not matter.
  Either.getOrUndefined(Either.try(() => withoutSecrets(text, secrets)))

/** Throws at invalid JSON, and at values nested too deep to be looked through. */
const withoutSecrets = (text: string, secrets: ReadonlyArray<string>): Json.Json => {
  const value = Json.parse(text)
  return mayHold(text, secrets) ? Secret.hideIn(value, secrets) : value
}

const notJson = (what: string): Effect.Effect<never, RequestFailed> =>
  new RequestFailed({ reason: "invalid-answer", detail: `the answer ${what}; JSON was expected` })

const shown = (type: string): string => (/^[\w+\-./ ;=]{1,80}$/.test(type) ? type : "of none that is known")

const kindOf = (type: string): "json" | "text" | "binary" | "unknown" => {
  const mediaType = bareType(type)
  if (mediaType === "") return "unknown"
  if (/[/+]json$/.test(mediaType)) return "json"
  return /^text\/|[/+](xml|yaml|x-yaml|javascript|x-ndjson|jsonl|json-seq|graphql|sql|toml|x-www-form-urlencoded)$/.test(
    mediaType
  )
    ? "text"
    : "binary"
}

const decoded = (bytes: Uint8Array, type: string): string => {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? "utf-8"
  // UTF-8 has the letters of most unknown charsets.
  const decoder = Either.getOrElse(
    Either.try(() => new TextDecoder(charset)),
    () => new TextDecoder()
  )
  return decoder.decode(bytes)
}

const isText = (bytes: Uint8Array): boolean =>
  !bytes.includes(0) && Either.isRight(Either.try(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)))

/** JSON may write any character with an escape; only then is the value searched as well. */
const mayHold = (text: string, secrets: ReadonlyArray<string>): boolean =>
  secrets.length > 0 && (text.includes("\\") || secrets.some((secret) => text.includes(secret)))

const contentOf = (
  { bytes, headers }: Answer,
  mediaType: string,
  secrets: ReadonlyArray<string>
): Effect.Effect<Content.Answer, RequestFailed> => {
  const shown = bytesWithoutSecrets(bytes, secrets)
  if (shown === undefined) {
    const detail = "the answer has a credential of the API in it, which cannot be taken out of a file"
    return new RequestFailed({ reason: "invalid-answer", detail })
  }
  const data = Encoding.encodeBase64(shown)
  const part = mediaType.startsWith("image/")
    ? Content.image(mediaType, data)
    : Content.file(mediaType, data, filenameOf(Secret.hide(headers["content-disposition"] ?? "", secrets)))
  return Effect.succeed(new Content.Answer({ parts: [part] }))
}

/** A file that is a text is one without them. Undefined where any other has one in it. */
const bytesWithoutSecrets = (bytes: Uint8Array, secrets: ReadonlyArray<string>): Uint8Array | undefined => {
  const text = byteText(bytes)
  if (!secrets.some((secret) => text.includes(byteText(utf8.encode(secret))))) return bytes
  return isText(bytes) ? utf8.encode(Secret.hide(new TextDecoder().decode(bytes), secrets)) : undefined
}

const utf8 = new TextEncoder()

/** One character a byte. */
const byteText = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes)

/** The last part of the name that the API gives, without characters that do harm in a path or a terminal. */
const filenameOf = (disposition: string): string | undefined => {
  const name = /;\s*filename\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(disposition)
  const safe = (name?.[1] ?? name?.[2] ?? "")
    .replace(/^.*[/\\]/s, "")
    .replace(/[^\p{L}\p{N}\p{M} ._()+-]/gu, "_")
    .slice(0, 200)
  return safe === "" || /^\.+$/.test(safe) ? undefined : safe
}
