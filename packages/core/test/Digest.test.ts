import { expect, it } from "@effect/vitest"
import { Digest } from "@wield/core"

it("a digest is SHA-256 in hexadecimal", () => {
  expect(Digest.ofText("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
})
