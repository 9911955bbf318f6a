import { describe, expect, it } from "@effect/vitest"
import * as Document from "@wield/assistant/Document"
import { Effect, FastCheck } from "effect"
import { runs, sized } from "../../../../test/sizes.js"
import { endOfPiece } from "../../src/documents/markdown.js"

/** Texts in which whatever can go wrong with a cut is likely to. */
const piece = FastCheck.oneof(
  FastCheck.constantFrom(
    "word",
    "Sentence one. ",
    "Is it? ",
    " ",
    "\n",
    "\n\n",
    "\r\n\r\n",
    "\n \t\n",
    "\n# Heading\n\n",
    "\n### Deep *one*\n",
    "Title\n=====\n",
    "- item\n",
    "1. first\n\n   more\n",
    "> quoted\n",
    "\n```\ncode\n\n# no heading\n```\n",
    "| a | b |\n|---|---|\n",
    "<div>\n\n",
    "---\n",
    "😀",
    "👩‍👩‍👧",
    "\ud83d",
    "\ude00",
    "e\u0301",
    "永和九年。",
    "\uFEFF",
    "\0",
    "\u2028"
  ),
  FastCheck.string({ maxLength: 30 }),
  FastCheck.nat(120).map((length) => "x".repeat(length))
)

const text = FastCheck.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""))

const cutting = FastCheck.integer({ min: 1, max: 80 }).chain((size) =>
  FastCheck.record({
    size: FastCheck.constant(size),
    overlap: FastCheck.integer({ min: 0, max: size - 1 }),
    isMarkdown: FastCheck.boolean()
  })
)

const characters = (part: string) => [...part].length

const splitsPair = (whole: string, at: number) =>
  /[\uD800-\uDBFF]/.test(whole.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(whole.charAt(at))

const texts = (whole: string, chunks: ReadonlyArray<Document.Chunk>) =>
  chunks.map(({ end, start }) => whole.slice(start, end))

describe("cutting a text", () => {
  it.effect.prop(
    "loses nothing, overlaps exactly, stays within the size, and splits no character",
    [text, cutting],
    ([whole, options]) =>
      Effect.gen(function* () {
        const chunks = yield* Document.cut(whole, options)
        expect(chunks.map(({ end, own }) => whole.slice(own, end)).join("")).toBe(whole)
        chunks.forEach(({ end, own, start }, index) => {
          expect(characters(whole.slice(start, end))).toBeLessThanOrEqual(options.size)
          expect(end).toBeGreaterThan(own)
          expect(splitsPair(whole, start) || splitsPair(whole, end)).toBe(false)
          const before = chunks[index - 1]
          if (before === undefined) {
            expect([start, own]).toEqual([0, 0])
            return
          }
          expect(own).toBe(before.end)
          const overlap = whole.slice(start, own)
          expect(characters(overlap)).toBe(options.overlap)
          expect(whole.slice(before.start, before.end).endsWith(overlap)).toBe(true)
        })
      }),
    { fastCheck: { numRuns: runs(250) } }
  )

  const sentence = FastCheck.array(FastCheck.constantFrom("tea", "green", "garden", "Clara"), {
    minLength: 1,
    maxLength: 9
  }).map((words) => `It is ${words.join(" ")}.`)

  const paragraph = FastCheck.array(sentence, { minLength: 1, maxLength: 6 }).map((sentences) => sentences.join(" "))

  it.effect.prop(
    "splits no paragraph that fits with the overlap, and no sentence of one that does not",
    [FastCheck.array(paragraph, { minLength: 1, maxLength: 12 }), FastCheck.boolean()],
    ([paragraphs, isMarkdown]) =>
      Effect.gen(function* () {
        const options = { size: 120, overlap: 20, isMarkdown }
        const whole = paragraphs.map((each) => `${each}\n\n`).join("")
        const cut = texts(whole, yield* Document.cut(whole, options))
        for (const each of paragraphs) {
          const units = each.length + 2 <= 100 ? [each] : each.split(/(?<=\.) /)
          for (const unit of units) expect(cut.some((one) => one.includes(unit))).toBe(true)
        }
      }),
    { fastCheck: { numRuns: runs(100) } }
  )

  it.effect("cuts before a heading in the second half of what fits, otherwise before the last paragraph", () =>
    Effect.gen(function* () {
      const body = (letter: string, length: number) => `${letter.repeat(length)}\n\n`
      const whole = `# A\n\n${body("a", 50)}# B\n\n${body("b", 10)}${body("c", 10)}${body("d", 90)}`
      const cut = texts(whole, yield* Document.cut(whole, { size: 100, overlap: 0, isMarkdown: true }))
      expect(cut).toEqual([`# A\n\n${body("a", 50)}`, `# B\n\n${body("b", 10)}${body("c", 10)}`, body("d", 90)])
    })
  )

  it.effect("keeps a heading with what follows it", () =>
    Effect.gen(function* () {
      const whole = `${"a".repeat(60)}\n\n# B\n\n${"b".repeat(60)}\n`
      const cut = texts(whole, yield* Document.cut(whole, { size: 70, overlap: 0, isMarkdown: true }))
      expect(cut).toEqual([`${"a".repeat(60)}\n\n`, `# B\n\n${"b".repeat(60)}\n`])
    })
  )

  it.effect("cuts a paragraph that is too long after a sentence, otherwise a line, a word, or anywhere", () =>
    Effect.gen(function* () {
      const first = (whole: string) =>
        Effect.map(Document.cut(whole, { size: 40, overlap: 0 }), (chunks) => texts(whole, chunks)[0])
      expect(yield* first(`One is here. Two is\nhere, and it ${"goes on ".repeat(10)}`)).toBe("One is here. ")
      expect(yield* first(`a line without end\nanother ${"word ".repeat(20)}`)).toBe("a line without end\n")
      expect(yield* first("word ".repeat(20))).toBe("word ".repeat(8))
      expect(yield* first(`wording ${"word ".repeat(20)}`)).toBe(`wording ${"word ".repeat(6)}`)
      expect(yield* first("x".repeat(100))).toBe("x".repeat(40))
      // No space tells where a word of Chinese begins; 世界 is one.
      const chinese = yield* first(`${"我".repeat(39)}世界${"我".repeat(39)}`)
      expect(chinese).toBe("我".repeat(39))
    })
  )

  it.effect("knows the headings over each chunk, without their markup, and none from code or quotes", () =>
    Effect.gen(function* () {
      const whole = [
        "---\ntitle: no heading\n---\n",
        "before\n",
        "Top *one*\n=========\n",
        "a\n",
        "## [Sub](https://example.com) `two`\n",
        "```\n# no heading\n```\n",
        "> # no heading either\n",
        "#### Deep\n",
        "b\n",
        "## Other\n",
        "c\n",
        "# Last\n"
      ].join("\n")
      const each = yield* Document.cut(whole, { size: 16, overlap: 0, isMarkdown: true })
      const paths = new Set(each.map(({ headings }) => headings.join("/")))
      expect([...paths]).toEqual(["", "Top one", "Top one/Sub two", "Top one/Sub two/Deep", "Top one/Other", "Last"])
    })
  )

  it.effect("reads Markdown that is longer than one piece like Markdown that is not", () =>
    Effect.gen(function* () {
      const section = (number: number) =>
        `## Section ${number}\n\n${"It goes on. ".repeat(12)}\n\n- one\n- two\n\n\`\`\`\n# code\n\n# code\n\`\`\`\n\n`
      const whole = Array.from({ length: 1600 }, (_, number) => section(number)).join("")
      expect(whole.length).toBeGreaterThan(300_000)
      const chunks = yield* Document.cut(whole, { size: 260, overlap: 10, isMarkdown: true })
      expect(chunks.every(({ headings }) => headings.length === 1 && /^Section \d+$/.test(headings[0] ?? ""))).toBe(
        true
      )
      expect(new Set(chunks.map(({ headings }) => headings[0])).size).toBe(1600)
    })
  )

  it.effect("reads on in code that is longer than one piece", () =>
    Effect.gen(function* () {
      const whole = `# Before\n\n~~~~\n${"# code\n~~~\n\n".repeat(10_000)}~~~~\n\n# After\n\nend\n`
      const chunks = yield* Document.cut(whole, { isMarkdown: true })
      expect(new Set(chunks.map(({ headings }) => headings.join("/")))).toEqual(new Set(["Before"]))
      const small = yield* Document.cut(whole, { size: 20, overlap: 0, isMarkdown: true })
      expect(small.at(-1)?.headings).toEqual(["After"])
    })
  )

  it.effect.each([
    "It is so. ",
    "x",
    "word ",
    " ",
    "\n",
    "# A\n\n",
    "- a\n",
    "永",
    "😀",
    "> ",
    "1. ",
    "```\n",
    "*a_",
    "[a]: b\n",
    "1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1.\n"
  ])("takes a hostile text in pieces that let others have their turn: %j", (unit) =>
    Effect.gen(function* () {
      const whole = unit.repeat(Math.ceil(sized(50_000, 400_000) / unit.length))
      const chunks = yield* Document.cut(whole, { isMarkdown: true })
      expect(chunks.at(-1)?.end).toBe(whole.length)
      let piece: ReturnType<typeof endOfPiece> = { to: 0, fence: undefined }
      while (piece.to < whole.length) {
        const from = piece.to
        piece = endOfPiece(whole, from, piece.fence)
        expect(piece.to).toBeGreaterThan(from)
        expect(piece.to - from).toBeLessThanOrEqual(4 * 8192 + 1)
      }
    })
  )

  it.effect("takes an overlap that is not less than the size for a mistake of the program", () =>
    Effect.gen(function* () {
      for (const [size, overlap] of [
        [100, 100],
        [0, 0],
        [100, -1],
        [10.5, 1]
      ] as const) {
        const exit = yield* Effect.exit(Document.cut("text", { size, overlap }))
        expect(String(exit)).toContain("cannot overlap")
      }
    })
  )
})
