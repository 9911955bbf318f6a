/**
 * What failed requests are to a model. It is told that an address is not
 * public, never which one it is: that would be a map of the network.
 */
import type { HttpClientError } from "@effect/platform/HttpClientError"
import { refusalOf } from "@wield/http/Refusal"
import * as Option from "effect/Option"
import { PageUnavailable, Refused, TooLarge } from "../WebError.js"

export const pageFailure =
  (url: string, maxBytes: number) =>
  (error: HttpClientError): PageUnavailable | Refused | TooLarge =>
    Option.match(refusalOf(error), {
      onNone: () => new PageUnavailable({ url }),
      onSome: (refusal) => {
        switch (refusal._tag) {
          case "AddressRefused":
          case "ProtocolRefused":
            return new Refused({ url, reason: "address" })
          case "TooManyRedirects":
          case "RedirectRefused":
            return new Refused({ url, reason: "redirects" })
          case "BodyTooLarge":
            return new TooLarge({ url, limit: Math.min(maxBytes, refusal.limit) })
          case "EncodingRefused":
          case "StatusRefused":
            return new Refused({ url, reason: "answer" })
        }
      }
    })
