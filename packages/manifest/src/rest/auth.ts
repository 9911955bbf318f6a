/** How requests say who sends them. */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as SecretText from "@wield/core/Secret"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import type { Auth, Secret } from "../RestExecutor.js"
import { percentEncode } from "./percent.js"

export const reveal = (secret: Secret): string => (Redacted.isRedacted(secret) ? Redacted.value(secret) : secret)

export interface Credential {
  readonly in: "header" | "query" | "cookie"
  readonly name: string
  readonly value: string
  /** `value`, and what it was made of. */
  readonly secrets: ReadonlyArray<string>
}

export const credentialOf = (auth: Exclude<Auth, { readonly type: "oauth2" }>): Credential => {
  switch (auth.type) {
    case "bearer":
      return bearer(reveal(auth.token))
    case "basic": {
      const password = reveal(auth.password)
      const value = Encoding.encodeBase64(`${reveal(auth.username)}:${password}`)
      return { in: "header", name: "authorization", value: `Basic ${value}`, secrets: [value, password] }
    }
    case "apiKey": {
      const value = reveal(auth.value)
      const name = auth.in === "header" ? auth.name.toLowerCase() : auth.name
      // `Bearer …` as a whole, and what comes after the scheme.
      return { in: auth.in, name, value, secrets: [...SecretText.inHeader(value), ...value.split(" ").slice(1)] }
    }
  }
}

export const bearer = (token: string): Credential => ({
  in: "header",
  name: "authorization",
  value: `Bearer ${token}`,
  secrets: [token]
})

export const authorize = (request: HttpClientRequest.HttpClientRequest, { in: place, name, value }: Credential) => {
  if (place === "header") return HttpClientRequest.setHeader(request, name, value)
  const pair = `${percentEncode(name)}=${percentEncode(value)}`
  if (place === "query") {
    return HttpClientRequest.setUrl(request, `${request.url}${request.url.includes("?") ? "&" : "?"}${pair}`)
  }
  const { cookie } = request.headers
  return HttpClientRequest.setHeader(request, "cookie", cookie === undefined ? pair : `${cookie}; ${pair}`)
}
