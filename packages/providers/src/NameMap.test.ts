import { expect, it } from "@effect/vitest"
import { ToolDefinition } from "@wield/core"
import * as FastCheck from "effect/FastCheck"
import { character } from "../../../test/characters.js"
import * as NameMap from "./NameMap.js"

const rule = { pattern: /^[a-zA-Z0-9_-]{1,64}$/, maxLength: 64 }
const gemini = { pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, maxLength: 64 }
const define = (names: ReadonlyArray<string>) => names.map((name) => ToolDefinition.make({ name }))

it("keeps a legal name", () => {
  const map = NameMap.make(define(["get_orders", "__proto__", "constructor"]), rule)
  for (const name of ["get_orders", "__proto__", "constructor", "not_offered"]) {
    expect(map.toNative(name)).toBe(name)
    expect(map.fromNative(name)).toBe(name)
  }
})

it("gives a name with illegal characters a legal one that still tells where it comes from", () => {
  const map = NameMap.make(define(["shop/get orders"]), rule)
  expect(map.toNative("shop/get orders")).toMatch(/^shop_get_orders_[0-9a-f]{8}$/)
  expect(map.fromNative(map.toNative("shop/get orders"))).toBe("shop/get orders")
})

it("puts an underscore before a first character that is legal only later", () => {
  expect(NameMap.make(define(["3d.render"]), gemini).toNative("3d.render")).toMatch(/^_3d\.render_[0-9a-f]{8}$/)
})

it("gives way to a legal name that looks like a mapped one", () => {
  const mapped = NameMap.make(define(["a b"]), rule).toNative("a b")
  const map = NameMap.make(define(["a b", mapped]), rule)
  expect(map.toNative(mapped)).toBe(mapped)
  expect(map.toNative("a b")).not.toBe(mapped)
  expect(map.fromNative(map.toNative("a b"))).toBe("a b")
})

it("uses the provider's name for a tool that the provider executes", () => {
  const search = ToolDefinition.make({
    name: "web",
    provider: { id: "anthropic.web_search_20250305", name: "web_search", settings: {} }
  })
  const map = NameMap.make([...define(["web_search"]), search], rule)
  expect(map.toNative("web")).toBe("web_search")
  expect(map.fromNative("web_search")).toBe("web")
  expect(map.toNative("web_search")).not.toBe("web_search")
  expect(map.fromNative(map.toNative("web_search"))).toBe("web_search")
})

it("knows a tool by the name that models write with a namespace before it or a channel behind it", () => {
  const map = NameMap.make(define(["now", "orders/list", "functions.old"]), gemini)
  for (const written of ["functions.now", "default_api:now", "default_api.now", "now<|channel|>commentary"]) {
    expect(map.fromNative(written)).toBe("now")
  }
  expect(map.fromNative(`functions.${map.toNative("orders/list")}`)).toBe("orders/list")
  for (const other of ["functions.old", "functions.new", "new<|channel|>json"])
    expect(map.fromNative(other)).toBe(other)
})

it("maps any names to legal, distinct ones and back", () => {
  const name = FastCheck.oneof(
    FastCheck.string(),
    FastCheck.string({ unit: character, maxLength: 200 }),
    FastCheck.constantFrom("", "__proto__", "toString", "a b", "a/b", "a_b", "\ud800", "x".repeat(65))
  )
  FastCheck.assert(
    FastCheck.property(
      FastCheck.uniqueArray(name, { maxLength: 20 }),
      FastCheck.constantFrom(rule, gemini),
      (names, rule) => {
        const map = NameMap.make(define(names), rule)
        const natives = names.map(map.toNative)
        for (const native of natives) expect(native).toMatch(rule.pattern)
        expect(new Set(natives).size).toBe(names.length)
        expect(natives.map(map.fromNative)).toEqual(names)
        expect(names.map(NameMap.make(define(names), rule).toNative)).toEqual(natives)
      }
    )
  )
})
