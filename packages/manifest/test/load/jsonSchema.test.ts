import { describe, expect, it } from "@effect/vitest"
import { Manifest, ManifestFile, RestExecutor } from "@wield/manifest"
import * as GraphQlExecutor from "@wield/manifest/GraphQlExecutor"
import * as SqlExecutor from "@wield/manifest/SqlExecutor"
import { Ajv } from "ajv"
import { Either } from "effect"
import { readFileSync } from "node:fs"

const published: object = JSON.parse(
  readFileSync(new URL("../../schema/manifest.schema.json", import.meta.url), "utf8")
)
const isValid = new Ajv({ strict: false }).compile(published)

/** No error, and no key that means nothing. */
const isRead = (text: string): boolean =>
  Either.match(Manifest.parse(text, { files: { "charts.json": '{ "name": "c", "description": "-" }' } }), {
    onLeft: () => false,
    onRight: ({ problems }) => problems.every(({ rule }) => rule !== "unknown-key")
  })

it("the published schema is what the schemas that decode files say: pnpm manifest:schema", () => {
  const factories = [RestExecutor.factory, GraphQlExecutor.factory, SqlExecutor.factory]
  expect(published).toStrictEqual(JSON.parse(JSON.stringify(ManifestFile.jsonSchema(factories))))
})

const definition = '"function": { "name": "x", "description": "-" }'

describe("the published schema and the loader agree on", () => {
  it.each([
    [true, `[]`],
    [true, `{}`],
    [true, `[{ "type": "api", ${definition}, "api": { "path": "/x" } }]`],
    [true, `[{ "type": "api", ${definition}, "api": { "path": "/x", "method": "get", "limits": { "maxRows": 3 } } }]`],
    [true, `[{ "type": "local", ${definition}, "context": null, "facts": { "readOnly": true, "examples": [{}] } }]`],
    [true, `{ "name": "x", "description": "-", "parameters": { "type": "object", "any": "keyword" } }`],
    [true, `{ "$schema": "x", "functions": "charts.json", "apis": { "type": "rest", "url": "\${URL}" } }`],
    [
      true,
      `{ "apis": { "a": { "type": "rest", "url": "x" }, "b": { "type": "own", "any": 1 } }, "model": { "a": 1 } }`
    ],
    [true, `{ "tools": [{ "type": "client", ${definition} }], "context": ["a"], "prompt": "-", "converter": 1 }`],
    [false, `3`],
    [false, `[3]`],
    [false, `[{ "type": "client" }]`],
    [false, `[{ "type": "api", ${definition} }]`],
    [false, `[{ "type": "function", ${definition} }]`],
    [false, `[{ "type": "client", ${definition}, "note": 1 }]`],
    [false, `[{ "type": "client", "function": { "name": "x", "description": "-", "parameters": [] } }]`],
    [false, `[{ "type": "api", ${definition}, "api": { "path": "/x", "method": "G T" } }]`],
    [false, `[{ "type": "api", ${definition}, "api": { "path": "/x", "limits": { "maxRows": 0.5 } } }]`],
    [false, `[{ "type": "api", ${definition}, "api": { "path": "/x", "result": { "path": "data" } } }]`],
    [false, `[{ "type": "api", ${definition}, "api": { "path": "/x", "parameters": { "a": { "in": "url" } } } }]`],
    [false, `{ "apis": { "a": {} } }`],
    [false, `{ "functions": [1] }`],
    [false, `{ "prompt": 1 }`],
    [false, `{ "tool": [] }`]
  ])("%s: %s", (expected, text) => {
    expect([isValid(JSON.parse(text)), isRead(text)]).toStrictEqual([expected, expected])
  })
})

it("the published schema knows what the APIs of each type may hold", () => {
  const problem = (api: object) => isValid({ apis: { default: api } })
  expect(problem({ type: "rest", url: "https://x.example", auth: { type: "bearer", token: "${TOKEN}" } })).toBe(true)
  expect(problem({ type: "rest", url: "https://x.example", auth: { type: "bear", token: "${TOKEN}" } })).toBe(false)
  expect(problem({ type: "rest", uri: "https://x.example" })).toBe(false)
  expect(problem({ type: "sql", url: "file:x.db" })).toBe(true)
  expect(problem({ type: "sql", file: "x.db" })).toBe(false)
})
