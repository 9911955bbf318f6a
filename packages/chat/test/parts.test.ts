import { expect, it } from "@effect/vitest"
import { fileOf } from "../src/internal/parts.js"

it("A file of a page is at an address of https, in whatever case that is written", () => {
  const urls = ["https://example.com/a", "HTTPS://example.com/a", "http://example.com/a", "file:///a"]
  const isTaken = urls.map((url) => fileOf("image/png", url) !== undefined)
  expect(isTaken).toEqual([true, true, false, false])
})
