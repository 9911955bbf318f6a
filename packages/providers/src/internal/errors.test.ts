import { expect, it } from "@effect/vitest"
import * as WireFormat from "../WireFormat.js"
import { retryAfter } from "./errors.js"

it.each([
  [undefined, undefined],
  [{}, undefined],
  [{ "retry-after": "2" }, 2000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "2", "retry-after-ms": "1500" }, 1500],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-1" }, undefined],
  [{ "retry-after": " 2 " }, 2000],
  [{ "retry-after": "0x10" }, undefined],
  [{ "retry-after": "1e3" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{ "retry-after": "Sat, 01 Nov 2025 10:00:30 GMT", date: "Sat, 01 Nov 2025 10:00:00 GMT" }, 30_000],
  [{ "retry-after": "Sat, 01 Nov 2025 10:00:00 GMT" }, 0]
])("reads %j as %s ms", (headers, expected) => {
  expect(retryAfter(headers)).toBe(expected)
})

const generic: { readonly [format: string]: (code: string) => unknown } = {
  gemini: () => ({ error: { message: "No.", status: "INTERNAL" } }),
  "bedrock-converse": () => ({ __type: "InternalServerException", message: "No." }),
  ollama: () => ({ error: "No." }),
  "cohere-v2": () => ({ message: "No." })
}

it.each(WireFormat.all)("believes the status before a code that says little, as $name", ({ decodeError, name }) => {
  const bodyOf = generic[name] ?? ((type: string) => ({ type: "error", error: { type, message: "No." } }))
  const kindOf = (status: number, code: string): string => decodeError({ status, body: bodyOf(code) })._tag
  for (const code of ["api_error", "server_error", "internal_server_error", "internal"]) {
    expect([400, 401, 403, 404, 422, 429, 500, 503].map((status) => kindOf(status, code))).toEqual([
      "RequestRejected",
      "NotAuthorized",
      "NotAuthorized",
      "RequestRejected",
      "RequestRejected",
      "RateLimited",
      "ProviderUnavailable",
      "ProviderUnavailable"
    ])
  }
})

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const streaming = WireFormat.all.filter(({ name }) => name !== "bedrock-converse" && name !== "ollama")

it.each(streaming)("keeps a server's words where a stream of $name says an error in a way of its own", (format) => {
  const lines = [
    'error: {"code":500,"message":"the words","type":"server_error"}\n\n',
    'error: {"error":{"message":"the words"}}\n\n',
    "error: the words\n\n",
    'event: error\ndata: {"message":"the words"}\n\n',
    'event: error\ndata: {"error":"the words"}\n\n',
    "event: error\ndata: the words\n\n",
    'data: {"error":{"message":"the words"}}\n\n'
  ]
  for (const line of lines) {
    const decoder = format.streamDecoder()
    decoder.push(encode(line))
    decoder.end()
    expect(`${line} ${decoder.failure()?.message}`).toMatch(/ .*the words.*the words/s)
    expect(decoder.failure()?._tag).toBe("ProviderUnavailable")
  }
})
