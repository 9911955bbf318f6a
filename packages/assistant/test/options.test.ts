import { HttpClient } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Assistant, Consolidation, Documents, DocumentSource, Recall, SearchIndex, WebPage } from "@wield/assistant"
import { Effect, Layer } from "effect"
import { causeOf, untyped } from "../../../test/untyped.js"

/** Nothing is asked of a service where the options are refused. */
const refusalOf = (make: unknown, options: unknown) =>
  causeOf(Effect.scoped(Layer.build(untyped<Layer.Layer<unknown>>(make)(options))))

it.effect("options of pages that are misspelt are refused: any page would be read, of any size", () =>
  Effect.gen(function* () {
    expect(yield* refusalOf(WebPage.layer, { respectsRobots: true })).toContain('did you mean "respectRobots"?')
    expect(yield* refusalOf(WebPage.layer, { respectRobots: "yes" })).toContain("respectRobots must be true or false")
    expect(() => untyped(WebPage.layer)({}, Promise.resolve({ maxRedirects: 0 }))).toThrow("must be an object")
    expect(yield* refusalOf(WebPage.layer, new Map([["respectRobots", true]]))).toContain("must be an object")
    const made = untyped<Effect.Effect<unknown>>(WebPage.make)({ maxBytes: "5 MB" })
    const client = HttpClient.make(() => Effect.never)
    expect(yield* causeOf(Effect.scoped(Effect.provideService(made, HttpClient.HttpClient, client)))).toContain(
      "maxBytes must be a whole number"
    )
  })
)

it.effect("options of documents that are misspelt are refused: none would be too large", () =>
  Effect.gen(function* () {
    expect(yield* refusalOf(Documents.layer, { byte: 10 })).toContain('did you mean "bytes"?')
    expect(yield* refusalOf(Documents.layer, { bytes: "20 MB" })).toContain("bytes must be a whole number")
    expect(yield* refusalOf(Documents.layer, null)).toContain("must be an object")
    const files = (options: unknown) => causeOf(Effect.sync(() => untyped<unknown>(DocumentSource.layerFiles)(options)))
    expect(yield* files({ root: "./documents", bytes: "20 MB" })).toContain("bytes must be a whole number")
    expect(yield* files({ folder: "./documents" })).toContain("folder must be named as an option is")
    expect(yield* files({ root: Promise.resolve("./documents") })).toContain("root must be a folder")
  })
)

it.effect("options of the consolidation that are misspelt are refused: other memories would be merged", () =>
  Effect.gen(function* () {
    expect(yield* refusalOf(Consolidation.layerWithoutModel, { likenes: 0.9 })).toContain('did you mean "likeness"?')
    expect(yield* refusalOf(Consolidation.layerWithoutModel, { groups: "3" })).toContain("groups must be a number")
  })
)

it.effect("options of the search that are misspelt are refused: it would find other things", () =>
  Effect.gen(function* () {
    const { layer, layerEmbedding } = SearchIndex
    expect(yield* refusalOf(layer, { weight: {} })).toContain('did you mean "weights"?')
    expect(yield* refusalOf(layer, { weights: { recencey: 1 } })).toContain('did you mean "recency"?')
    expect(yield* refusalOf(layer, { weights: { words: Number.NaN } })).toContain("weights.words must be a number")
    expect(() => untyped(Assistant.layer)({ document: {} })).toThrow('did you mean "documents"?')
    expect(yield* refusalOf(layerEmbedding, {})).toContain("model must be a name, but is nothing")
  })
)

it.effect("bounds of what is recalled that are misspelt are refused: everything would be recalled", () =>
  Effect.gen(function* () {
    expect(() => untyped(Recall.prepare)({ token: 100 })).toThrow('did you mean "tokens"?')
    expect(() => untyped(Recall.prepare)({ tokens: Number.NaN })).toThrow("tokens must be a number of at least 0")
    expect(() => untyped(Recall.prepare)({ messages: -1 })).toThrow("messages must be a whole number of at least 0")
    const recalled = untyped<Effect.Effect<string>>(Recall.recall)(["hello"], { memories: "3" })
    expect(yield* causeOf(recalled)).toContain('memories must be a whole number of at least 0, but is "3"')
  })
)
