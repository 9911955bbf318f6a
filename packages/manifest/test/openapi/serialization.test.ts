/** Every style of OpenAPI as a server on loopback is asked, beside the examples of the standard and of Stripe's API. */
import { HttpGuard } from "@wield/http"
import { ToolCall, ToolRunner } from "@wield/core"
import { Manifest, OpenApi, RestExecutor } from "@wield/manifest"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { api, json as answerJson } from "../rest/api.js"
import { imported, specification } from "./specification.js"

const text = { type: "string" }
const list = { type: "array", items: text }
const object = { type: "object" }

const blue = "blue"
const colors = ["blue", "black", "brown"]
const rgb = { R: 100, G: 200, B: 150 }

const schemaOf = (value: unknown): object => (Array.isArray(value) ? list : typeof value === "object" ? object : text)

interface Case {
  /** A parameter, or a field of a body of the type. */
  readonly of: { readonly in?: string; readonly type?: string; readonly [field: string]: unknown }
  readonly value: unknown
}

/** An operation that takes `color` in the path, the query, a header, a cookie or a field of its body. */
const operationOf = ({ of: { type, ...stated }, value }: Case, index: number) => {
  const schema = schemaOf(value)
  const properties = { color: stated["schema"] ?? schema }
  const encoding = Object.keys(stated).length === 0 ? {} : { encoding: { color: stated } }
  const operation =
    type === undefined
      ? { parameters: [{ name: "color", required: true, ...("content" in stated ? {} : { schema }), ...stated }] }
      : { requestBody: { content: { [type]: { schema: { type: "object", properties }, ...encoding } } } }
  const path = stated["in"] === "path" ? `/${index}/{color}` : `/${index}`
  return [path, { post: { operationId: `tool_${index}`, ...operation } }] as const
}

const asked = (cases: ReadonlyArray<Case>) =>
  Effect.gen(function* () {
    const server = yield* api((_, response) => answerJson(response, {}))
    const document = specification({}, { paths: Object.fromEntries(cases.map(operationOf)) })
    const manifest = yield* Manifest.fromOpenApi(document, { url: server.url })
    expect(manifest.problems).toEqual([])
    const toolset = yield* Manifest.toToolset(manifest, { factories: [RestExecutor.factory] })
    const runner = yield* ToolRunner.make(toolset)
    for (const [index, { value }] of cases.entries()) {
      const outcome = yield* runner.run(ToolCall.make(`call_${index}`, `tool_${index}`, { color: value }))
      expect(outcome).toMatchObject({ _tag: "Success" })
    }
    return server.asked.map((one, index) => ({ ...one, url: one.url.slice(`/${index}`.length) }))
  }).pipe(Effect.provide(HttpGuard.layer({ allowedHosts: ["127.0.0.1"] })))

type Row = readonly [of: Case["of"], value: unknown, expected: string]

const casesOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Case> => rows.map(([of, value]) => ({ of, value }))

const query = (style: string, explode?: boolean, more: object = {}) => ({ in: "query", style, explode, ...more })
const path = (style: string, explode?: boolean) => ({ in: "path", style, explode })
const header = (explode?: boolean) => ({ in: "header", explode })
const cookie = (explode?: boolean) => ({ in: "cookie", explode })

describe("a parameter is sent as the standard shows it", () => {
  it.scoped("in the path and the query", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<Row> = [
        [path("simple"), blue, "/blue"],
        [path("simple", false), colors, "/blue,black,brown"],
        [path("simple", true), colors, "/blue,black,brown"],
        [path("simple", false), rgb, "/R,100,G,200,B,150"],
        [path("simple", true), rgb, "/R=100,G=200,B=150"],
        [path("label"), blue, "/.blue"],
        [path("label", false), colors, "/.blue,black,brown"],
        [path("label", true), colors, "/.blue.black.brown"],
        [path("label", false), rgb, "/.R,100,G,200,B,150"],
        [path("label", true), rgb, "/.R=100.G=200.B=150"],
        [path("matrix"), blue, "/;color=blue"],
        [path("matrix"), "", "/;color"],
        [path("matrix", false), colors, "/;color=blue,black,brown"],
        [path("matrix", true), colors, "/;color=blue;color=black;color=brown"],
        [path("matrix", false), rgb, "/;color=R,100,G,200,B,150"],
        [path("matrix", true), rgb, "/;R=100;G=200;B=150"],
        [query("form"), "", "?color="],
        [query("form"), blue, "?color=blue"],
        [{ in: "query" }, colors, "?color=blue&color=black&color=brown"],
        [query("form", false), colors, "?color=blue,black,brown"],
        [{ in: "query" }, rgb, "?R=100&G=200&B=150"],
        [query("form", false), rgb, "?color=R,100,G,200,B,150"],
        [query("spaceDelimited"), colors, "?color=blue%20black%20brown"],
        [query("spaceDelimited", false), rgb, "?color=R%20100%20G%20200%20B%20150"],
        [query("spaceDelimited", true), colors, "?color=blue&color=black&color=brown"],
        [query("pipeDelimited"), colors, "?color=blue%7Cblack%7Cbrown"],
        [query("pipeDelimited", false), rgb, "?color=R%7C100%7CG%7C200%7CB%7C150"],
        [query("deepObject"), rgb, "?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
        // What the standard leaves open, as Stripe and most frameworks read it.
        [query("deepObject", true), ["a", "b"], "?color%5B0%5D=a&color%5B1%5D=b"],
        [
          query("deepObject", true),
          { a: { b: [{ c: 1 }, 2] } },
          "?color%5Ba%5D%5Bb%5D%5B0%5D%5Bc%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D=2"
        ],
        [query("form", undefined, { allowReserved: true }), "a:b/c?d,e&f=g#h+i", "?color=a:b/c?d,e%26f%3Dg%23h%2Bi"],
        [query("form", false, { allowReserved: true }), ["a/b", "c"], "?color=a/b,c"],
        [{ in: "query", content: { "application/json": { schema: text } } }, blue, "?color=%22blue%22"],
        [{ in: "query", content: { "text/plain": { schema: text } } }, blue, "?color=blue"],
        [
          { in: "path", content: { "application/json": { schema: object } } },
          rgb,
          "/%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D"
        ]
      ]
      const urls = (yield* asked(casesOf(rows))).map(({ url }) => url)
      expect(urls).toEqual(rows.map(([, , expected]) => expected))
    })
  )

  it.scoped("in headers and cookies", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<Row> = [
        [header(), blue, "blue"],
        [header(false), colors, "blue,black,brown"],
        [header(true), colors, "blue,black,brown"],
        [header(false), rgb, "R,100,G,200,B,150"],
        [header(true), rgb, "R=100,G=200,B=150"],
        [{ in: "header", content: { "application/json": { schema: object } } }, rgb, '{"R":100,"G":200,"B":150}'],
        [cookie(), blue, "color=blue"],
        [cookie(false), colors, "color=blue,black,brown"],
        [cookie(false), rgb, "color=R,100,G,200,B,150"],
        [{ in: "cookie", content: { "text/plain": { schema: text } } }, "a;b", "color=a%3Bb"]
      ]
      const sent = (yield* asked(casesOf(rows))).map(({ headers }) => headers["color"] ?? headers.cookie)
      expect(sent).toEqual(rows.map(([, , expected]) => expected))
    })
  )
})

describe("a field of a body is sent as the standard shows it", () => {
  const form = "application/x-www-form-urlencoded"
  const multipart = "multipart/form-data"

  it.scoped("in a form", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<Row> = [
        [{ type: form }, blue, "color=blue"],
        [{ type: form }, colors, "color=blue&color=black&color=brown"],
        [{ type: form }, rgb, "color=%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D"],
        [{ type: form, style: "form" }, rgb, "R=100&G=200&B=150"],
        [{ type: form, explode: false }, colors, "color=blue,black,brown"],
        [{ type: form, style: "form", explode: false }, rgb, "color=R,100,G,200,B,150"],
        [{ type: form, style: "spaceDelimited", explode: false }, colors, "color=blue%20black%20brown"],
        [{ type: form, style: "pipeDelimited" }, colors, "color=blue%7Cblack%7Cbrown"],
        [{ type: form, style: "deepObject", explode: true }, rgb, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
        [{ type: form, contentType: "application/json" }, colors, "color=%5B%22blue%22%2C%22black%22%2C%22brown%22%5D"],
        // A content type says nothing beside a style.
        [{ type: form, contentType: "application/json", style: "form" }, colors, "color=blue&color=black&color=brown"],
        [{ type: form, allowReserved: true }, "a/b&c", "color=a/b%26c"]
      ]
      const bodies = (yield* asked(casesOf(rows))).map(({ body }) => body)
      expect(bodies).toEqual(rows.map(([, , expected]) => expected))
    })
  )

  it.scoped("in parts", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<readonly [Case["of"], unknown, ReadonlyArray<readonly [string, string]>]> = [
        [{ type: multipart }, blue, [["color", blue]]],
        [
          { type: multipart },
          ["a", "b"],
          [
            ["color", "a"],
            ["color", "b"]
          ]
        ],
        [{ type: multipart }, { R: 1 }, [["color", '{"R":1}']]],
        [{ type: multipart, style: "form", explode: false }, ["a b", "c"], [["color", "a b,c"]]],
        [{ type: multipart, style: "spaceDelimited", explode: false }, ["a", "c"], [["color", "a c"]]],
        [{ type: multipart, style: "pipeDelimited" }, ["a", "c"], [["color", "a|c"]]],
        [{ type: multipart, style: "deepObject" }, { a: ["b"] }, [["color[a][0]", "b"]]],
        [
          { type: multipart, style: "form" },
          { R: 1, G: 2 },
          [
            ["R", "1"],
            ["G", "2"]
          ]
        ],
        [{ type: multipart, contentType: "application/json" }, ["a", "b"], [["color", '["a","b"]']]],
        [{ type: multipart, contentType: "text/markdown" }, "# A", [["color", "# A"]]]
      ]
      const requests = yield* asked(rows.map(([of, value]) => ({ of, value })))
      for (const [index, { body, headers }] of requests.entries()) {
        const response = new Response(body, { headers: { "content-type": String(headers["content-type"]) } })
        // Each a text: a part with a file name would be a file.
        expect([...(yield* Effect.promise(() => response.formData()))]).toEqual(rows[index]?.[2])
        expect(body).not.toContain("filename")
      }
      expect(requests.at(-1)?.body).toContain("Content-Type: text/markdown\r\n")
    })
  )

  it.scoped("as Stripe documents it", () =>
    Effect.gen(function* () {
      const style = { style: "deepObject", explode: true }
      const operation = {
        parameters: [{ name: "expand", in: "query", ...style, schema: list }],
        requestBody: {
          content: {
            [form]: {
              schema: {
                type: "object",
                properties: {
                  customer: text,
                  items: {
                    type: "array",
                    items: { type: "object", properties: { price: text, quantity: { type: "integer" } } }
                  },
                  metadata: { anyOf: [{ type: "object", additionalProperties: text }, { enum: [""] }] },
                  expand: list
                }
              },
              encoding: { items: style, metadata: style, expand: style }
            }
          }
        }
      }
      const server = yield* api((_, response) => answerJson(response, {}))
      const manifest = yield* Manifest.fromOpenApi(specification(operation), { url: server.url })
      const toolset = yield* Manifest.toToolset(manifest, { factories: [RestExecutor.factory] })
      const parameters = {
        expand: ["data"],
        customer: "cus_1",
        items: [{ price: "price_1", quantity: 2 }, { price: "price_2" }],
        metadata: { order: "6735" },
        body_expand: ["customer"]
      }
      yield* (yield* ToolRunner.make(toolset)).run(ToolCall.make("call_1", "thing", parameters))
      const [one] = server.asked
      expect(decodeURIComponent(one?.url ?? "")).toBe("/things?expand[0]=data")
      expect(decodeURIComponent(one?.body ?? "").split("&")).toEqual([
        "customer=cus_1",
        "items[0][price]=price_1",
        "items[0][quantity]=2",
        "items[1][price]=price_2",
        "metadata[order]=6735",
        "expand[0]=customer"
      ])
    }).pipe(Effect.provide(HttpGuard.layer({ allowedHosts: ["127.0.0.1"] })))
  )

  it.scoped("also where the body is no plain object, if its fields are written alike", () =>
    Effect.gen(function* () {
      const style = { style: "deepObject" }
      const union = {
        anyOf: [
          { type: "object", properties: { a: list, b: list } },
          { type: "object", properties: { c: text } }
        ]
      }
      const document = (encoding: object) =>
        specification({ requestBody: { content: { [form]: { schema: union, encoding } } } })
      const alike = yield* imported(document({ a: style, b: style }))
      expect(alike.problems).toEqual([])
      expect(alike.entry.api.parameters["body"]).toEqual({ in: "body", style: "deepObject" })
      expect((yield* imported(document({ a: style, b: { explode: false } }))).rules).toEqual(["unsupported-encoding"])
      const server = yield* api((_, response) => answerJson(response, {}))
      const manifest = yield* Manifest.fromOpenApi(document({ a: style, b: style }), { url: server.url })
      const toolset = yield* Manifest.toToolset(manifest, { factories: [RestExecutor.factory] })
      yield* (yield* ToolRunner.make(toolset)).run(ToolCall.make("call_1", "thing", { body: { a: ["x"], b: ["y"] } }))
      expect(server.asked[0]?.body).toBe("a%5B0%5D=x&b%5B0%5D=y")
    }).pipe(Effect.provide(HttpGuard.layer({ allowedHosts: ["127.0.0.1"] })))
  )
})

describe("what no request can say", () => {
  const parameter = (more: object) => ({ name: "color", schema: list, ...more })

  const unsendable = [
    parameter({ in: "query", style: "simple" }),
    parameter({ in: "query", style: "tabDelimited" }),
    parameter({ in: "header", style: "form" }),
    parameter({ in: "cookie" }),
    parameter({ in: "cookie", style: "form", explode: true, schema: object }),
    { name: "color", in: "query", content: { "application/xml": { schema: object } } }
  ]

  it.effect("leaves out a parameter, or the operation that needs it", () =>
    Effect.gen(function* () {
      for (const one of unsendable) {
        const optional = yield* imported(specification({ parameters: [one] }))
        expect(optional.properties).toEqual({})
        expect(optional.problems).toMatchObject([{ severity: "warning", rule: "unsupported-style" }])
        const needed = yield* OpenApi.entries(specification({ parameters: [{ ...one, required: true }] }))
        expect(needed.entries).toEqual([])
        expect(needed.problems).toMatchObject([{ severity: "error", rule: "unsupported-style" }])
      }
    })
  )

  it.effect("is told of formats of Swagger 2.0 too", () =>
    Effect.gen(function* () {
      const formats = [
        { in: "query", collectionFormat: "tsv" },
        { in: "header", collectionFormat: "multi" },
        { in: "header", collectionFormat: "pipes" },
        { in: "query", items: { type: "array", items: text } }
      ]
      for (const format of formats) {
        const { rules } = yield* imported({
          swagger: "2.0",
          host: "pets.example",
          paths: { "/pets": { get: { parameters: [{ name: "color", type: "array", items: text, ...format }] } } }
        })
        expect(rules).toEqual(["unsupported-style"])
      }
    })
  )

  it.effect("leaves out a body, or the operation that needs it, and headers of parts", () =>
    Effect.gen(function* () {
      const body = (type: string, media: object, required = false) =>
        specification({ requestBody: { required, content: { [type]: media } } })
      const mixed = yield* imported(body("multipart/mixed", {}))
      expect([mixed.entry.api.contentType, ...mixed.rules]).toEqual([undefined, "unsupported-body"])
      const needed = yield* OpenApi.entries(body("multipart/related", {}, true))
      expect(needed.problems).toMatchObject([{ severity: "error", rule: "unsupported-body" }])
      const part = { schema: { properties: { a: text } }, encoding: { a: { headers: { "X-Part": { schema: text } } } } }
      expect((yield* imported(body("multipart/form-data", part))).rules).toEqual(["unsupported-encoding"])
      const style = { schema: { properties: { a: list } }, encoding: { a: { style: "simple" } } }
      expect((yield* imported(body("application/x-www-form-urlencoded", style))).rules).toEqual([
        "unsupported-encoding"
      ])
    })
  )

  it.effect("is no body of a GET that has no field, and a range of types is a type of its kind", () =>
    Effect.gen(function* () {
      const empty = {
        content: {
          "application/x-www-form-urlencoded": {
            schema: { type: "object", properties: {}, additionalProperties: false }
          }
        }
      }
      expect((yield* imported(specification({ requestBody: empty }, { method: "get" }))).rules).toEqual([])
      const typeOf = (type: string) =>
        Effect.map(
          imported(specification({ requestBody: { content: { [type]: {} } } })),
          ({ entry }) => entry.api.contentType
        )
      expect(yield* typeOf("*/*")).toBe("application/json")
      expect(yield* typeOf("text/*")).toBe("text/plain")
      expect(yield* typeOf("image/*")).toBe("application/octet-stream")
    })
  )
})
