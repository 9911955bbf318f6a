/** Reads a request of an HTTP client as plain data, secrets included. */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpBody from "@effect/platform/HttpBody"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

export interface Sent {
  readonly method: string
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly body: SentBody | undefined
}

export type SentBody =
  | { readonly _tag: "Bytes"; readonly bytes: Uint8Array; readonly contentType: string }
  | { readonly _tag: "Form"; readonly fields: ReadonlyArray<readonly [name: string, value: string | Uint8Array]> }

interface Read {
  readonly sent: Sent
  /** The request with a body that can be read again. */
  readonly request: HttpClientRequest.HttpClientRequest
}

export const readRequest = (
  request: HttpClientRequest.HttpClientRequest,
  url: URL
): Effect.Effect<Read, HttpClientError.RequestError> =>
  Effect.map(readBody(request), ({ again, body }) => ({
    sent: { method: request.method, url, headers: request.headers, body },
    // Only the body changes.
    request: again === undefined ? request : Object.assign(Object.create(request), { body: again })
  }))

interface ReadBody {
  readonly body: SentBody | undefined
  readonly again?: HttpBody.HttpBody
}

const readBody = (
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<ReadBody, HttpClientError.RequestError> => {
  const { body } = request
  const bytesOf = (bytes: Uint8Array): SentBody => ({
    _tag: "Bytes",
    bytes,
    contentType: body.contentType ?? request.headers["content-type"] ?? ""
  })
  const failed = (cause: unknown) =>
    new HttpClientError.RequestError({ request, reason: "Encode", cause, description: "the body cannot be read" })
  switch (body._tag) {
    case "Empty":
      return Effect.succeed({ body: undefined })
    case "Uint8Array":
      return Effect.succeed({ body: bytesOf(body.body) })
    case "FormData":
      return Effect.map(Effect.tryPromise({ try: () => formOf(body.formData), catch: failed }), (fields): ReadBody => ({
        body: { _tag: "Form", fields }
      }))
    case "Stream":
      return Effect.map(Effect.mapError(Stream.runCollect(body.stream), failed), (chunks): ReadBody => {
        const bytes = concatBytes([...chunks])
        return { body: bytesOf(bytes), again: HttpBody.uint8Array(bytes, body.contentType) }
      })
    case "Raw":
      return Effect.map(
        // Whatever a web request takes: text, a buffer, a blob, form data, a stream.
        Effect.tryPromise({ try: () => new Response(body.body as BodyInit).arrayBuffer(), catch: failed }),
        (buffer): ReadBody => {
          const bytes = new Uint8Array(buffer)
          return { body: bytesOf(bytes), again: HttpBody.uint8Array(bytes, body.contentType) }
        }
      )
  }
}

const formOf = (form: FormData): Promise<ReadonlyArray<readonly [string, string | Uint8Array]>> =>
  Promise.all(
    [...form].map(async ([name, value]) =>
      typeof value === "string"
        ? ([name, value] as const)
        : ([name, new Uint8Array(await value.arrayBuffer())] as const)
    )
  )

export const concatBytes = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const out = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    out.set(piece, at)
    at += piece.length
  }
  return out
}
