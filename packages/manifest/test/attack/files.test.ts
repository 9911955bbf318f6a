/** Files that are broken in every way: each ends in a manifest or in problems that have a place. */
import { assert, it } from "@effect/vitest"
import * as Manifest from "@wield/manifest/Manifest"
import * as OpenApi from "@wield/manifest/OpenApi"
import { Either, Effect } from "effect"
import { sized } from "../../../../test/sizes.js"

const changes = sized(300, 1500)
const manyKeys = sized(5000, 100_000)

const valid = `{
  // A comment
  "apis": { "shop": { "type": "rest", "url": "https://\${HOST}/v1", "auth": { "type": "bearer", "token": "\${T}" } } },
  "context": ["customerid"],
  "prompt": "Be k\\u0069nd",
  "functions": ["greet"],
  "tools": [
    { "type": "api", "function": { "name": "get_order", "description": "One order", "parameters": { "type": "object",
      "properties": { "id": { "type": "string", "enum": ["a", "b"] }, "customerid": { "type": "integer" } }, "required": ["id"] } },
      "context": ["customerid"], "api": { "name": "shop", "path": "/orders/{id}?c={customerid}", "method": "GET",
      "headers": { "x-a": "{id}" }, "pagination": { "parameter": "page", "from": "/next", "items": "/items" } } },
    { "type": "client", "function": { "name": "show", "description": "Shows", "parameters": {} } }
  ]
}`

const yaml = `
apis: { type: sql, url: "file:a.db" }
tools:
  - &tool
    type: api
    function: { name: a, description: b, parameters: &p { type: object, properties: { x: { type: string } } } }
    api: { query: "SELECT :x" }
  - type: client
    function: { name: c, description: |
        lines
        of text
      , parameters: *p }
`

/** A generator of its own, so that a failure can be had again. */
const random = (seed: number) => () => {
  seed = (seed * 1664525 + 1013904223) >>> 0
  return seed / 2 ** 32
}

const pieces = [
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  '"',
  "'",
  "\\",
  "\\u",
  "\0",
  "\uFEFF",
  "\uD800",
  "*p",
  "&p ",
  "<<: *p\n",
  "- ",
  "? ",
  "\n",
  "\t",
  "!!",
  "%",
  "|",
  ">",
  "null",
  "1e999",
  "-",
  '"__proto__":',
  "${",
  "}",
  "{",
  "#",
  "//",
  "/*",
  "😀",
  "true"
]

const mutated = (text: string, next: () => number): string => {
  let result = text
  for (let count = 1 + Math.floor(next() * 4); count > 0; count--) {
    const at = Math.floor(next() * result.length)
    const length = Math.floor(next() * (next() < 0.2 ? 60 : 3))
    const piece = next() < 0.3 ? result.slice(at, at + 30) : (pieces[Math.floor(next() * pieces.length)] ?? "")
    result = result.slice(0, at) + (next() < 0.7 ? piece : "") + result.slice(at + length)
  }
  return result
}

const values: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  1e308,
  "",
  "x",
  "a".repeat(300),
  [],
  {},
  [[]],
  { a: {} },
  ["__proto__"],
  JSON.parse('{"__proto__":{"a":1}}'),
  "constructor",
  [null]
]

const restructured = (value: unknown, next: () => number): unknown => {
  if (next() < 0.04) return values[Math.floor(next() * values.length)]
  if (Array.isArray(value)) return value.map((item) => restructured(item, next))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      next() < 0.03
        ? []
        : [
            [
              next() < 0.03
                ? (["__proto__", "constructor", "toString", "$ref", "type"][Math.floor(next() * 5)] ?? key)
                : key,
              restructured(item, next)
            ]
          ]
    )
  )
}

/** Whether it was read. */
const assertJudged = (text: string, file: string): boolean => {
  const result = Manifest.parse(text, { file })
  if (Either.isRight(result)) return true
  const lines = text.replace(/^\uFEFF/, "").split("\n")
  assert.isAbove(result.left.problems.length, 0)
  for (const { message, place } of result.left.problems) {
    assert.notStrictEqual(message, "")
    assert.ok(
      place !== undefined && place.line >= 1 && place.line <= lines.length,
      JSON.stringify([place, message, text])
    )
    assert.ok(
      place.column >= 1 && place.column <= (lines[place.line - 1] ?? "").length + 2,
      JSON.stringify([place, message, text])
    )
  }
  return false
}

/** Lets the runner of the tests hear of this process. */
const breathe = () => new Promise((resolve) => setImmediate(resolve))

it("a manifest with bytes changed is read or judged, again and again", async () => {
  const next = random(1)
  let read = 0
  for (let count = 0; count < changes; count += 2) {
    if (assertJudged(mutated(valid, next), "a.json")) read++
    if (assertJudged(mutated(yaml, next), "a.yaml")) read++
    await breathe()
  }
  // Some of both, or nothing was tested.
  assert.isTrue(read > changes / 100 && read < changes * 0.99, String(read))
})

it("a manifest with values changed is read or judged, again and again", async () => {
  const next = random(2)
  const whole: unknown = JSON.parse(valid.replace(/\/\/ A comment/, ""))
  let read = 0
  for (let count = 0; count < changes; count++) {
    if (assertJudged(JSON.stringify(restructured(whole, next)), "a.json")) read++
    await breathe()
  }
  assert.isTrue(read > changes / 100 && read < changes * 0.99, String(read))
})

it.effect("a specification with values changed is read or refused, again and again", () =>
  Effect.gen(function* () {
    const next = random(3)
    for (let count = 0; count < changes; count++) {
      const { _tag } = yield* Effect.either(OpenApi.entries(restructured(specification, next)))
      assert.include(["Left", "Right"], _tag)
    }
  })
)

const specification = {
  openapi: "3.0.3",
  servers: [{ url: "https://{host}.example", variables: { host: { default: "a", enum: ["a"] } } }],
  security: [{ key: [] }, { flow: ["a"] }],
  paths: {
    "/a/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      post: {
        operationId: "a",
        tags: ["x"],
        parameters: [
          { $ref: "#/components/parameters/q" },
          { name: "f", in: "query", style: "deepObject", schema: { $ref: "#/components/schemas/A" } }
        ],
        requestBody: {
          content: {
            "multipart/form-data": {
              schema: { $ref: "#/components/schemas/A" },
              encoding: { b: { contentType: "text/plain" } }
            }
          }
        },
        responses: { "200": { content: { "application/json": { schema: { $ref: "#/components/schemas/A" } } } } }
      }
    }
  },
  components: {
    parameters: {
      q: { name: "q", in: "query", schema: { type: "array", items: { type: "integer", nullable: true } } }
    },
    schemas: {
      A: {
        type: "object",
        properties: { b: { type: "string", format: "binary" }, c: { $ref: "#/components/schemas/B" } },
        required: ["b"]
      },
      B: {
        oneOf: [{ $ref: "#/components/schemas/A" }, { type: "string", pattern: "^(a+)+$" }],
        discriminator: { propertyName: "b", mapping: { x: "A" } }
      }
    },
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "x-key" },
      flow: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "https://t.example", scopes: { a: "" } } } }
    }
  }
}

// What costs the square of a text, or more, would not end in any time: the guard of each test stops it.

it("a YAML file of aliases of aliases is a problem", () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
  for (let level = 1; level < 12; level++)
    lines.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(", ")}]`
    )
  assert.ok(Either.isLeft(Manifest.parse(lines.join("\n"), { file: "a.yaml" })))
})

it("a JSON file with many keys that nobody knows is read", () => {
  assert.isTrue(assertJudged(`{${Array.from({ length: manyKeys }, (_, key) => `"k${key}": 1`).join(",")}}`, "a.json"))
})

/** They are YAML all the same. */
const odd = new Set(["an alias of itself", "a map as a key", "many keys"])

for (const [what, text] of Object.entries({
  "nested by dashes of many lines": Array.from(
    { length: 8 },
    (_, line) => `${" ".repeat(line * 380)}${"- ".repeat(190)}`
  ).join("\n"),
  "nested by indentation of one space": Array.from({ length: 1500 }, (_, level) => `${" ".repeat(level)}a:`).join("\n"),
  "an alias of itself": "a: &a [*a]",
  "a map as a key": "? { a: { b: c } }\n: d",
  "an anchor without end": "&a &b &c",
  "a tag of code": "tools: !!js/function 'function () {}'",
  "two documents": "a: 1\n---\nb: 2",
  "the same key twice": "tools: []\ntools: []",
  "many keys": Array.from({ length: manyKeys }, (_, key) => `k${key}: 1`).join("\n")
})) {
  it(`a YAML file that is ${what} is read or judged`, () => {
    assert.strictEqual(assertJudged(text, "a.yaml"), odd.has(what))
  })
}
