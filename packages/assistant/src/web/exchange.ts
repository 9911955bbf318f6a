/** One request, and its whole answer within bounds of bytes; time is the caller's to bound. */
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientError, ResponseError } from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { UnusableUrl } from "../WebError.js"

export interface Reply {
  /** Where it came from, after redirects. */
  readonly url: URL
  readonly status: number
  readonly contentType: string
  /** How the bytes are packed still, which the client does not know; empty where they are not. */
  readonly encoding: string
  readonly bytes: Uint8Array
  readonly isCut: boolean
}

/** Arguments enter no span: the client's own has the URL. The scope lets go of what was not read. */
export const fetchReply = (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
  maxBytes: number
): Effect.Effect<Reply, HttpClientError> =>
  HttpClient.withScope(client)
    .execute(request)
    .pipe(
      Effect.flatMap((response) =>
        Effect.map(bytesOf(response.stream, maxBytes), (read) => ({
          ...read,
          url: urlOf(response.request),
          status: response.status,
          contentType: response.headers["content-type"] ?? "",
          encoding: (response.headers["content-encoding"] ?? "").replace(/identity|[\s,]/gi, "")
        }))
      ),
      Effect.scoped,
      Effect.locally(HttpClient.currentTracerDisabledWhen, () => true)
    )

const bytesOf = (stream: Stream.Stream<Uint8Array, ResponseError>, maxBytes: number) => {
  const pieces: Array<Uint8Array> = []
  let size = 0
  return stream.pipe(
    // One piece more than is allowed is enough to know.
    Stream.takeUntil((piece) => {
      size += piece.byteLength
      pieces.push(piece)
      return size > maxBytes
    }),
    Stream.runDrain,
    // Statuses such as 304 come without one.
    Effect.catchTag("ResponseError", (error) => (error.reason === "EmptyBody" ? Effect.void : error)),
    // Not a Buffer, whose `slice` copies nothing, and which pdf.js does not take.
    Effect.map(() => ({ bytes: new Uint8Array(Buffer.concat(pieces)).subarray(0, maxBytes), isCut: size > maxBytes }))
  )
}

const urlOf = (request: HttpClientRequest.HttpClientRequest): URL =>
  Either.getOrElse(UrlParams.makeUrl(request.url, request.urlParams, request.hash), () => new URL(request.url))

export const targetOf = (text: string): Either.Either<URL, UnusableUrl> => {
  const written = text.trim()
  const unusable = (reason: UnusableUrl["reason"]) =>
    Either.left(new UnusableUrl({ url: withoutPassword(written), reason }))
  if (!URL.canParse(written)) return unusable("syntax")
  const url = new URL(written)
  if (url.protocol !== "http:" && url.protocol !== "https:") return unusable("protocol")
  if (url.username !== "" || url.password !== "") return unusable("credentials")
  url.hash = ""
  return Either.right(url)
}

/** What goes into an error: short, and without the password that may stand in it. */
const withoutPassword = (url: string): string => url.replace(/\/\/[^/?#]*@/, "//…@").slice(0, 200)

/** As errors and results show it: a data URL may be as long as a page. */
export const brief = (url: URL): string => (url.href.length > 2000 ? `${url.href.slice(0, 2000)}…` : url.href)

export const defaultUserAgent = "Wield/0.1 (+https://github.com/wield-tools/wield)"
