/** The body of a request as undici takes it. */
import type * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Dispatcher, FormData as UndiciFormData } from "undici"

type Body = NonNullable<Dispatcher.DispatchOptions["body"]>

export const bodyOf = (body: HttpBody.HttpBody): Effect.Effect<Body | null> => {
  switch (body._tag) {
    case "Empty":
      return Effect.succeed(null)
    case "Uint8Array":
      return Effect.succeed(body.body)
    case "Raw":
      // Whatever the program gave: undici refuses what it cannot send.
      return Effect.succeed(body.body as Body)
    case "FormData":
      return Effect.sync(() => formOf(body.formData))
    case "Stream":
      return Effect.map(Stream.toAsyncIterableEffect(body.stream), asBody)
  }
}

/** Node's own FormData is that of another undici, which this one cannot send. */
const formOf = (form: FormData): UndiciFormData => {
  const copy = new UndiciFormData()
  form.forEach((value, name) => {
    if (typeof value === "string") copy.append(name, value)
    else copy.append(name, value, value.name)
  })
  return copy
}

// undici sends what iterates over bytes; its types name Readable only.
const asBody = (bytes: AsyncIterable<Uint8Array>): Body => bytes as unknown as Body

/** Those of the body are in it, not among the headers, until it is sent. */
export const headersOf = (request: HttpClientRequest.HttpClientRequest): Record<string, string> => ({
  "accept-encoding": "gzip, br",
  ...request.headers
})
