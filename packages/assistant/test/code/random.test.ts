/** Files and edits made at random: what is edited, and what is shown of it, are what was asked for. */
import { NodeContext } from "@effect/platform-node"
import { describe, expect, layer } from "@effect/vitest"
import { applyPatch } from "diff"
import { Effect, FastCheck } from "effect"
import { character } from "../../../../test/characters.js"
import { runs } from "../../../../test/sizes.js"
import { newFolder } from "./folders.js"

// Few words, so that lines repeat and searches are ambiguous now and then.
const word = FastCheck.oneof(
  {
    weight: 6,
    arbitrary: FastCheck.constantFrom("", "a", "b", "  a", "}", "a b", "\ta", "- a", "+b", "\\ No newline")
  },
  {
    weight: 1,
    arbitrary: FastCheck.constantFrom("é", "e\u0301", "日本", "😀", "\u2028", "a\rb", "@@ -1 +1 @@", "=======")
  },
  {
    weight: 3,
    arbitrary: FastCheck.string({ unit: character, maxLength: 12 }).map((text) =>
      text.replaceAll(/[\r\n\0\uFEFF]/g, "")
    )
  }
)

const texts = FastCheck.array(word, { maxLength: 8 })

interface File {
  readonly mark: string
  readonly lines: ReadonlyArray<{ readonly text: string; readonly end: "\n" | "\r\n" }>
  readonly endsOpen: boolean
}

const file: FastCheck.Arbitrary<File> = FastCheck.record({
  mark: FastCheck.constantFrom("", "", "", "\uFEFF"),
  lines: FastCheck.oneof(
    ...(["\n", "\r\n"] as const).map((end) =>
      FastCheck.array(FastCheck.record({ text: word, end: FastCheck.constant(end) }), { minLength: 1, maxLength: 30 })
    ),
    FastCheck.array(FastCheck.record({ text: word, end: FastCheck.constantFrom("\n" as const, "\r\n" as const) }), {
      minLength: 1,
      maxLength: 30
    })
  ),
  endsOpen: FastCheck.boolean()
}).filter(({ endsOpen, lines }) => !(endsOpen && lines.at(-1)?.text === ""))

const textOf = ({ endsOpen, lines, mark }: File): string =>
  mark + lines.map(({ end, text }, index) => text + (endsOpen && index === lines.length - 1 ? "" : end)).join("")

const cuts = FastCheck.array(
  FastCheck.record({ at: FastCheck.nat(29), length: FastCheck.integer({ min: 1, max: 4 }), replace: texts }),
  { minLength: 1, maxLength: 5 }
)

/** Of random cuts those that are apart and stand in the file once. */
const unambiguous = (
  { lines }: File,
  wanted: ReadonlyArray<{ at: number; length: number; replace: Array<string> }>
) => {
  const all = lines.map(({ text }) => text)
  const stands = (search: ReadonlyArray<string>) =>
    all.filter((_, start) => search.every((text, index) => all[start + index] === text)).length
  let free = 0
  return [...wanted]
    .sort((left, right) => left.at - right.at)
    .flatMap(({ at, length, replace }) => {
      const search = all.slice(at, at + length)
      if (at < free || search.length < length || stands(search) !== 1) return []
      free = at + length
      return [{ at, search, replace }]
    })
}

const blocksOf = (edits: ReturnType<typeof unambiguous>) => (marker: string) =>
  edits
    .flatMap(({ replace, search }) => [
      `<<${marker} search>>`,
      ...search,
      `<<${marker} replace>>`,
      ...replace,
      `<<${marker} end>>`
    ])
    .join("\n")

describe("an edit made at random", () => {
  layer(NodeContext.layer)((it) => {
    it.scoped.prop(
      "changes what it searches for and nothing else, and its difference leads from the old text to the new",
      [file, cuts],
      ([file, wanted]) =>
        Effect.gen(function* () {
          const edits = unambiguous(file, wanted)
          const lines = file.lines.map(({ text }) => text)
          const expected = lines.flatMap((text, index) => {
            const edit = edits.find(({ at, search }) => index >= at && index < at + search.length)
            if (edit === undefined) return [text]
            return index === edit.at ? edit.replace : []
          })
          const before = textOf(file)
          FastCheck.pre(
            edits.length > 0 && (expected.join("\n") !== lines.join("\n") || expected.length !== lines.length)
          )
          const { edit, model, read, write } = yield* newFolder()
          yield* write("a.txt", before)
          model.answers = [blocksOf(edits)]
          const { added, diff, removed } = yield* edit("a.txt")
          const after = yield* read("a.txt")
          expect(after.startsWith("\uFEFF")).toBe(file.mark !== "")
          const written = after.slice(file.mark.length)
          // An empty line without an end would be none.
          const endsOpen = file.endsOpen && (expected.at(-1) ?? "") !== ""
          const now = written.split(/\r?\n/)
          expect(endsOpen ? now : now.slice(0, -1)).toEqual(expected)
          const ends = new Set(file.lines.slice(0, file.endsOpen ? -1 : undefined).map(({ end }) => end))
          if (ends.size === 1) expect(new Set(written.match(/\r?\n/g) ?? [...ends])).toEqual(ends)
          expect(applyPatch(before, diff, { autoConvertLineEndings: false })).toBe(after)
          // A byte order mark that is left alone is a line, to a difference.
          const isMarkOnly = file.mark !== "" && expected.length === 0
          expect(added - removed).toBe((isMarkOnly ? 1 : expected.length) - lines.length)
        }),
      {
        fastCheck: {
          numRuns: runs(200),
          examples: [
            [
              { mark: "\uFEFF", lines: [{ text: "a", end: "\n" }], endsOpen: false },
              [{ at: 0, length: 1, replace: [] }]
            ]
          ]
        }
      }
    )

    it.scoped.prop(
      "leaves every byte as it was when one of its blocks does not fit",
      [file, cuts, FastCheck.array(word, { minLength: 1, maxLength: 3 }), FastCheck.nat(4)],
      ([file, wanted, absent, at]) =>
        Effect.gen(function* () {
          const edits = unambiguous(file, wanted)
          const { bytes, edit, model, names, write } = yield* newFolder({ attempts: 1 })
          yield* write("a.txt", textOf(file))
          const before = yield* bytes("a.txt")
          const misfit = { at: 0, search: [...absent, "not in any file"], replace: ["new"] }
          model.answers = [blocksOf([...edits.slice(0, at), misfit, ...edits.slice(at)])]
          const failure = yield* Effect.flip(edit("a.txt"))
          expect(failure._tag).toBe("EditRejected")
          expect(yield* bytes("a.txt")).toEqual(before)
          expect(yield* names()).toEqual(["a.txt"])
        }),
      { fastCheck: { numRuns: runs(80) } }
    )
  })
})
