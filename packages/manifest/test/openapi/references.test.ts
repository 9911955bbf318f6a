import { Manifest, OpenApi } from "@wield/manifest"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { imported } from "./specification.js"

const text = { type: "string" }

const get = {
  operationId: "getPet",
  tags: ["pets"],
  parameters: [{ name: "id", in: "path", required: true, schema: text }]
}

const pet = { get, parameters: [{ name: "trace", in: "query", schema: text }] }

const document = (paths: unknown, more: object = {}) => ({
  openapi: "3.1.0",
  servers: [{ url: "https://pets.example" }],
  paths,
  ...more
})

const properties = { id: text, trace: text }

const summary = ({ problems }: OpenApi.Imported) => problems.map(({ path, rule }) => [rule, path.join(" ")])

describe("a path item or an operation given by reference", () => {
  it.effect("is the one that it refers to, wherever in the document that stands", () =>
    Effect.gen(function* () {
      const same = [
        document({ "/pets/{id}": { $ref: "#/components/pathItems/pet" } }, { components: { pathItems: { pet } } }),
        document(
          { "/pets/{id}": { get: { $ref: "#/x-operations/get" }, parameters: pet.parameters } },
          { "x-operations": { get: { $ref: "#/x-operations/first" }, first: get } }
        ),
        document({ $ref: "#/x-paths" }, { "x-paths": { "/pets/{id}": pet } }),
        // A reference that goes through another one.
        document(
          { "/pets/{id}": { $ref: "#/x-all/items/pet" } },
          { "x-all": { $ref: "#/x-rest" }, "x-rest": { items: { pet } } }
        )
      ]
      for (const one of same) {
        const all = yield* imported(one)
        expect(all.problems).toEqual([])
        expect(all.entry.function.name).toBe("getPet")
        expect(all.properties).toEqual(properties)
      }
    })
  )

  it.effect("keeps what stands beside the reference, and says which of two counts", () =>
    Effect.gen(function* () {
      const all = yield* OpenApi.entries(
        document(
          { "/pets/{id}": { $ref: "#/x-pet", delete: { operationId: "deletePet" }, parameters: get.parameters } },
          { "x-pet": pet }
        )
      )
      expect(all.entries.map((entry) => [entry.function.name, entry.function.parameters["properties"]])).toEqual([
        ["getPet", { id: text }],
        ["deletePet", { id: text }]
      ])
      expect(summary(all)).toEqual([["ambiguous-path-item", "paths /pets/{id}"]])
    })
  )

  it.effect("may stand in other documents, whose references are relative to them", () =>
    Effect.gen(function* () {
      const all = yield* imported(document({ "/pets/{id}": { $ref: "paths/pet.yaml" } }), {
        documentUrl: "https://pets.example/api/openapi.yaml",
        documents: {
          "paths/pet.yaml": { get: { $ref: "../operations.yaml#/getPet" }, parameters: pet.parameters },
          "operations.yaml": { getPet: { ...get, parameters: [{ $ref: "#/id" }] }, id: get.parameters[0] }
        }
      })
      expect(all.problems).toEqual([])
      expect(all.properties).toEqual(properties)
    })
  )

  it.effect("of Swagger 2.0 is converted as well, in whichever document it stands", () =>
    Effect.gen(function* () {
      const operation = {
        operationId: "putPet",
        consumes: ["application/json"],
        parameters: [{ $ref: "#/parameters/id" }, { $ref: "common.yaml#/parameters/pet" }]
      }
      const common = {
        parameters: { pet: { name: "pet", in: "body", required: true, schema: { $ref: "#/definitions/Pet" } } },
        definitions: { Pet: { type: "object", properties: { name: text } } }
      }
      const all = yield* imported(
        {
          swagger: "2.0",
          host: "pets.example",
          paths: { "/pets/{id}": { $ref: "#/x-paths/pet" } },
          "x-paths": { pet: { put: { $ref: "#/x-operations/put" } } },
          "x-operations": { put: operation },
          parameters: { id: { name: "id", in: "path", required: true, type: "integer" } }
        },
        { documents: { "common.yaml": common } }
      )
      expect(all.problems).toEqual([])
      expect(all.properties).toEqual({ id: { type: "integer" }, name: text })
    })
  )

  it.effect("that leads nowhere is left out with a reason, never a tool without parameters", () =>
    Effect.gen(function* () {
      const all = yield* OpenApi.entries(
        document({
          "/a": { get: { $ref: "#/x-operations/none" } },
          "/b": { get: { $ref: "other.yaml#/b" } },
          "/c": { $ref: "#/paths/~1c" },
          "/d": { GET: get },
          "/e": { get: { parameters: { $ref: "#/x-list" } } },
          "/g": { get: null },
          "/f": { query: get, additionalOperations: { COPY: get } }
        })
      )
      expect(all.entries).toEqual([])
      expect(summary(all)).toEqual([
        ["unresolved-reference", "paths /a get"],
        ["unresolved-reference", "paths /b get"],
        ["unresolved-reference", "paths /c"],
        ["unknown-field", "paths /d GET"],
        ["malformed-operation", "paths /e get parameters"],
        ["malformed-operation", "paths /g get"],
        ["unsupported-method", "paths /f query"],
        ["unsupported-method", "paths /f additionalOperations"]
      ])
      expect(all.problems.every(({ severity }) => severity === "error")).toBe(true)
    })
  )
})

describe("a name among the options that the specification does not have", () => {
  const pets = document({ "/pets/{id}": pet, "/pets": { get: { operationId: "listPets" } } })

  it.effect("is a problem that tells the nearest one", () =>
    Effect.gen(function* () {
      const options = {
        operations: ["getPet", "listPet"],
        tags: ["pets", "cats"],
        paths: ["/pets/{id}", "/pet/*"],
        methods: ["get", "DELET"],
        context: ["Trace", "tenant"]
      }
      const { problems } = yield* OpenApi.entries(pets, options)
      expect(problems.map(({ message, rule, severity }) => [severity, rule, message])).toEqual([
        ["error", "unmatched-option", 'No operation has the id "listPet" of `operations` (did you mean "listPets"?)'],
        ["error", "unmatched-option", 'No operation has the tag "cats" of `tags` (did you mean "pets"?)'],
        ["error", "unmatched-option", 'No operation is under the path "/pet/*" of `paths` (did you mean "/pets"?)'],
        ["error", "unmatched-option", 'No operation has the method "DELET" of `methods`'],
        ["error", "unmatched-context", 'No operation that is imported has the parameter "tenant" of `context`']
      ])
    })
  )

  it.effect("and a server of a number that is not there, leaves out what would go to it", () =>
    Effect.gen(function* () {
      const { entries, problems } = yield* OpenApi.entries(pets, { server: 1 })
      expect(entries).toEqual([])
      expect(problems[0]).toMatchObject({ rule: "unmatched-option", path: ["servers"] })
      expect((yield* OpenApi.entries(pets, { server: 1, url: "https://other.example" })).entries).toHaveLength(2)
    })
  )

  it.effect("keeps no other from being imported, but an import of nothing fails", () =>
    Effect.gen(function* () {
      const some = yield* Manifest.fromOpenApi(pets, { operations: ["getPet", "nobody"] })
      expect(some.entries).toHaveLength(1)
      expect(some.problems).toMatchObject([{ severity: "warning", rule: "unmatched-option" }])
      for (const options of [
        { context: ["tenant"] },
        { operations: ["nobody"] },
        { operations: ["getPet"], methods: ["GET"], tags: ["pets"], paths: ["/pets"] }
      ]) {
        const failed = yield* Effect.flip(Manifest.fromOpenApi(pets, options))
        expect(failed._tag).toBe("InvalidManifest")
      }
    })
  )
})
