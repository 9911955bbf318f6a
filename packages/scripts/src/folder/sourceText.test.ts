import { expect, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { cleanText, maximalSize, textOfBytes } from "./sourceText.js"

const bytes = (...parts: ReadonlyArray<string | number>) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from([part]))))

const rejected = <Value>(result: Either.Either<Value, unknown>) => Either.getOrThrow(Either.flip(result))

it.prop("reads every text as it was written", [FastCheck.fullUnicodeString()], ([text]) => {
  // A byte order mark at the front is no part of a text.
  expect(textOfBytes("a.py", bytes(text))).toStrictEqual(Either.right(text.replace(/^\uFEFF/, "")))
})

it.each([
  [bytes("first\nzweit", 0xe9, "\n"), { line: 2, column: 6 }],
  [bytes(0xff, 0xfe), { line: 1, column: 1 }],
  [bytes("é\r\nab", 0xe2, "(", 0xa1), { line: 2, column: 3 }],
  [bytes("ab", 0xe2), { line: 1, column: 3 }],
  [bytes("\uFFFD", 0x80), { line: 1, column: 2 }]
])("says where bytes stop being UTF-8: %#", (given, place) => {
  expect(rejected(textOfBytes("a.py", given))).toMatchObject({ rule: "not-utf-8", severity: "error", place })
})

it("refuses a file that is too large for a script", () => {
  expect(rejected(textOfBytes("a.py", new Uint8Array(maximalSize + 1)))).toMatchObject({ rule: "too-large" })
})

it("says where a NUL character stands, and that a file is empty", () => {
  expect(rejected(cleanText("a.ts", "typescript", "one\ntw\0o"))).toMatchObject({
    rule: "nul-character",
    place: { line: 2, column: 3 }
  })
  expect(rejected(cleanText("a.ts", "typescript", "\uFEFF \n"))).toMatchObject({ rule: "empty-file" })
})

it("leaves out a byte order mark", () => {
  expect(cleanText("a.py", "python", "\uFEFFx = 1")).toStrictEqual(Either.right({ text: "x = 1", problems: [] }))
})

it("reads the line ends of Windows, to Bash as its own with a warning", () => {
  const text = "one\r\ntwo\r\n"
  expect(cleanText("a.py", "python", text)).toStrictEqual(Either.right({ text, problems: [] }))
  expect(cleanText("a.sh", "bash", text)).toMatchObject(
    Either.right({ text: "one\ntwo\n", problems: [{ severity: "warning", rule: "crlf", file: "a.sh" }] })
  )
})
