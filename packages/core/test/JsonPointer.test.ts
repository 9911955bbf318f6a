import { describe, expect, it } from "@effect/vitest"
import { JsonPointer } from "@wield/core"

describe("a JSON Pointer", () => {
  it("gives its path back", () => {
    for (const path of [[], [""], ["a/b", "m~n", "~1"], ["c%d", "e^f", " ", "#"], ["orders", 0]]) {
      expect(JsonPointer.pathOf(JsonPointer.make(path))).toEqual(path)
      const reference = `#${JsonPointer.make(path).split("/").map(encodeURIComponent).join("/")}`
      expect(JsonPointer.pathOf(reference)).toEqual(path)
    }
  })

  it("leads to own fields and items only", () => {
    const value = { orders: [{ id: 7 }] }
    expect(JsonPointer.at(value, "")).toBe(value)
    expect(JsonPointer.at(value, "/orders/0/id")).toBe(7)
    for (const pointer of ["/orders/length", "/orders/00", "/toString", "/orders/0/id/x"]) {
      expect(JsonPointer.at(value, pointer)).toBeUndefined()
    }
  })

  it("as a reference names a schema of its own document", () => {
    const root = { $defs: { "100%": { type: "string" }, never: false } }
    expect(JsonPointer.schemaAt(root, "#")).toBe(root)
    expect(JsonPointer.schemaAt(root, "#/$defs/100%")).toBe(root.$defs["100%"])
    for (const reference of ["", "/$defs/100%", "#anchor", "other#/$defs/100%", "#/$defs/never"]) {
      expect(JsonPointer.schemaAt(root, reference)).toBeUndefined()
    }
  })
})
