import { describe, expect, it } from "@effect/vitest"
import { Content, ToolCall, ToolDefinition } from "@wield/core"
import type { Message } from "@wield/core"
import { Effect } from "effect"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { untyped } from "../../../test/untyped.js"
import * as Tokens from "./Tokens.js"

const typescript = dirname(createRequire(import.meta.url).resolve("typescript"))

/** What the compiler says, as its translators wrote it. */
const translated = (language: string): string => {
  const file = join(typescript, language, "diagnosticMessages.generated.json")
  const messages = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>
  return Object.values(messages).slice(0, 150).join("\n")
}

const repository = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8").slice(0, 12_000)

/** Bytes that look random and are always the same. */
const bytes = (seed: number): Buffer => createHash("sha256").update(String(seed)).digest()

const rows = <A>(length: number, row: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length }, (_, index) => row(index))

const texts: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["cs", "de", "es", "fr", "it", "ja", "ko", "pl", "pt-br", "ru", "tr", "zh-cn", "zh-tw"].map((language) => [
      language,
      translated(language)
    ])
  ),
  guide: repository("docs/policies.md"),
  code: repository("packages/core/src/runner/pipeline.ts"),
  "declarations of types": readFileSync(join(typescript, "lib.es5.d.ts"), "utf8").slice(0, 12_000),
  "pretty JSON": repository("package.json"),
  orders: JSON.stringify(
    rows(40, (index) => ({
      id: `ord_${bytes(index).toString("hex").slice(0, 12)}`,
      status: index % 2 === 0 ? "open" : "shipped",
      total: bytes(index).readUInt16BE(0) / 100,
      createdAt: new Date(index * 1e9).toISOString()
    }))
  ),
  base64: Buffer.concat(rows(60, bytes)).toString("base64"),
  hashes: rows(60, (index) => bytes(index).toString("hex")).join("\n"),
  "comma-separated values": rows(60, (index) => `${index},${bytes(index).readUInt32BE(0)},2024-01-1${index % 9}`).join(
    "\n"
  ),
  addresses: rows(30, (index) => `https://example.com/${bytes(index).toString("base64url").slice(0, 11)}?id=1`).join(
    "\n"
  ),
  emoji: "👍 🎉 👩‍👩‍👧‍👦 ✅ 🚀🔥😂❤️ 🇩🇪 ".repeat(5),
  capitals: "ERROR: CONNECTION_REFUSED_BY_PEER AT SOCKET_HANDLER\n".repeat(5)
}

const regions = ["US", "DE", "FR", "GB", "JP", "CN", "IN", "BR", "ZA", "EG", "RU", "MX", "AU", "NZ", "SE", "GR", "TH"]

describe("Tokens.estimate", () => {
  for (const [name, text] of Object.entries(texts)) {
    it.effect(`is as high as the tokenizer counts, and at most 1.8 times as high, for ${name}`, () =>
      Effect.gen(function* () {
        const counts = yield* Tokens.estimate().counts
        const ratio = counts.text(text) / countTokens(text)
        expect(ratio).toBeGreaterThanOrEqual(1)
        expect(ratio).toBeLessThan(1.8)
      })
    )
  }

  for (const language of [
    "am",
    "ar",
    "bn",
    "el",
    "fa",
    "fi",
    "he",
    "hi",
    "hy",
    "ka",
    "km",
    "my",
    "sw",
    "ta",
    "te",
    "th",
    "uk",
    "vi"
  ]) {
    it.effect(`is at most 12 % low for a list of names in the language ${language}`, () =>
      Effect.gen(function* () {
        const names = new Intl.DisplayNames(language, { type: "region" })
        const text = regions.map((region) => names.of(region)).join(", ")
        const counts = yield* Tokens.estimate().counts
        const ratio = counts.text(text) / countTokens(text)
        expect(ratio).toBeGreaterThan(0.88)
        expect(ratio).toBeLessThan(1.8)
      })
    )
  }
})

describe("Tokens.openAi", () => {
  it.effect("counts what OpenAI's tokenizer counts, in long texts too", () =>
    Effect.gen(function* () {
      const counts = yield* Tokens.openAi().counts
      for (const name of ["guide", "de", "pretty JSON", "code"]) {
        const text = texts[name] ?? ""
        expect(text.length).toBeGreaterThan(1000)
        const exact = countTokens(text)
        expect(Math.abs(counts.text(text) - exact) / exact).toBeLessThan(0.005)
      }
      expect(counts.text("Good morning, Vietnam")).toBe(countTokens("Good morning, Vietnam"))
    })
  )

  it.effect("counts a long text without any space in a time that grows with its length", () =>
    Effect.gen(function* () {
      const counts = yield* Tokens.openAi().counts
      // In one piece it would take 8 seconds, which is longer than a test may take.
      const length = 50_000
      expect(counts.text("中".repeat(length))).toBeGreaterThanOrEqual(length)
    })
  )

  it.effect("does not part the halves of a pair", () =>
    Effect.gen(function* () {
      const counts = yield* Tokens.openAi().counts
      const text = `a${"😀".repeat(600)}`
      expect(Math.abs(counts.text(text) - countTokens(text))).toBeLessThanOrEqual(3)
    })
  )

  it.effect("takes what looks like a special token for text", () =>
    Effect.gen(function* () {
      const counts = yield* Tokens.openAi().counts
      expect(counts.text("<|endoftext|>")).toBeGreaterThan(1)
    })
  )

  it.effect("loads the older encoding as well", () =>
    Effect.gen(function* () {
      const older = yield* Tokens.openAi("cl100k_base").counts
      const newer = yield* Tokens.openAi().counts
      const korean = texts["ko"] ?? ""
      expect(older.text(korean)).toBeGreaterThan(newer.text(korean))
    })
  )
})

describe("Tokens", () => {
  const user: Message.User = { _tag: "User", content: [Content.text("one two")], native: undefined }

  it.effect("a message and a definition are counted once", () =>
    Effect.gen(function* () {
      let asked = 0
      const counter = Tokens.make("words", (text) => {
        asked++
        return text.split(" ").length
      })
      const definition = ToolDefinition.make({ name: "now", description: "The time" })
      const counts = yield* counter.counts
      const first = [counts.message(user), counts.definitions([definition])]
      const before = asked
      expect([counts.message(user), counts.definitions([definition])]).toStrictEqual(first)
      expect((yield* counter.counts).message(user)).toBe(first[0])
      expect(asked).toBe(before)
      // Equal is not the same: it is counted for itself.
      expect(counts.message({ ...user })).toBe(first[0])
      expect(asked).toBe(before + 1)
    })
  )

  it.effect("a counter that gives no number is refused: no budget would ever be exceeded", () =>
    Effect.gen(function* () {
      const make = untyped<Tokens.Counter>(Tokens.make)
      const counts = yield* make("words", async () => 3).counts
      expect(() => counts.message(user)).toThrow(
        "What the counter words gives must be a number of at least 0, but is a promise that was not awaited"
      )
      expect(() => make((text: string) => text.length)).toThrow("name must be a name, but is a function")
    })
  )

  it.effect("every part of every message counts", () =>
    Effect.gen(function* () {
      const counts = yield* Tokens.make("characters", (text) => text.length).counts
      const part = (call: ToolCall.ToolCall): Message.Assistant => ({
        _tag: "Assistant",
        parts: [{ _tag: "Call", call, executedBy: "application", nativeName: call.name, nativeId: call.id }],
        native: undefined
      })
      const results = (content: ReadonlyArray<Content.Part>): Message.Results => ({
        _tag: "Results",
        results: [{ id: "1", name: "now", isError: false, content }],
        native: undefined
      })
      const empty = counts.message(results([]))
      expect(counts.message(part(ToolCall.make("1", "now", '{"a":12}')))).toBe(
        counts.message(part(ToolCall.make("1", "now", { a: 12 })))
      )
      expect(counts.message(results([Content.json({ a: 12 })])) - empty).toBe(8)
      expect(counts.message(results([Content.json("12")])) - empty).toBe(2)
      expect(counts.message(results([Content.image("image/png", "iVBORw0KGgo=")])) - empty).toBe(Tokens.imageTokens)
      expect(counts.message(results([Content.file("application/pdf", "A".repeat(80_000))])) - empty).toBe(10_000)
      expect(counts.message(results([Content.file("application/pdf", "A".repeat(80))])) - empty).toBe(
        Tokens.imageTokens
      )
    })
  )

  it.effect("reasoning that is sent encrypted counts by its size", () =>
    Effect.gen(function* () {
      const counts = yield* Tokens.estimate().counts
      const message = (json: string): Message.Assistant => ({
        _tag: "Assistant",
        parts: [{ _tag: "Reasoning", text: "" }],
        native: { format: "openai-responses", json: [{ type: "reasoning", encrypted_content: json }] }
      })
      expect(counts.message(message("A".repeat(4000))) - counts.message(message(""))).toBe(1000)
    })
  )

  it.effect("offering a tool costs what the API tells its model of calling tools", () =>
    Effect.gen(function* () {
      const counts = yield* Tokens.estimate().counts
      expect(counts.definitions([])).toBe(0)
      const one = counts.definitions([ToolDefinition.make({ name: "now" })])
      const two = counts.definitions([ToolDefinition.make({ name: "now" }), ToolDefinition.make({ name: "now" })])
      expect(one).toBeGreaterThan(850)
      expect(two - one).toBe(one - 850)
    })
  )

  it("picks OpenAI's tokenizer for OpenAI's models and the estimate for all others", () => {
    const picked = (format: string, model: string) => Tokens.forModel(format, model).name
    for (const model of [
      "gpt-5-mini-2025-08-07",
      "gpt-4o",
      "gpt-4.1-nano",
      "o3-mini",
      "o1",
      "openai/gpt-oss-120b",
      "openai.gpt-oss-20b-1:0",
      "chatgpt-4o-latest"
    ]) {
      expect([model, picked("openai-chat", model)]).toStrictEqual([model, "o200k_base"])
    }
    for (const model of ["gpt-4", "gpt-4-turbo", "gpt-3.5-turbo", "gpt-35-turbo"]) {
      expect([model, picked("openai-chat", model)]).toStrictEqual([model, "cl100k_base"])
    }
    for (const model of ["llama-3.3-70b", "deepseek-chat", "qwen3", "foo3", "my-deployment"]) {
      expect([model, picked("openai-chat", model)]).toStrictEqual([model, "estimate"])
    }
    expect(picked("anthropic", "claude-sonnet-4-5")).toBe("estimate")
    expect(picked("gemini", "o1")).toBe("estimate")
  })
})
