import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import type { ToolsetFile } from "@wield/toolset-manager"
import { functionsOf, namesOf, reservedReason, resolve, type Sets } from "../src/manager/resolve.js"

const someNames = FastCheck.constantFrom("all", "none", "custom", "web", "memory", "research", "constructor")

const someSets = FastCheck.dictionary(
  someNames,
  FastCheck.array(FastCheck.constantFrom("a", "b", "c"), { maxLength: 3 })
)

const toolsets = (sets: { readonly [name: string]: ReadonlyArray<string> }) =>
  new Map(
    Object.entries(sets).map(([name, functions]): [string, ToolsetFile.SavedToolset] => [
      name,
      { name, functions, metadata: {}, place: { line: 1, column: 1 } }
    ])
  )

describe("A name among sets", () => {
  it.prop(
    "means all, none, a module, the user's toolset, the core's toolset, in this order, and nothing else; custom, of a module only",
    [someNames, someSets, someSets, someSets],
    ([name, modules, user, core]) => {
      const sets: Sets = { modules: new Map(Object.entries(modules)), user: toolsets(user), core: toolsets(core) }
      const found = resolve(name, sets)
      const own = (from: object) => Object.hasOwn(from, name)
      const expected: unknown =
        name === "all" || name === "none"
          ? { type: "built-in", functions: name === "all" ? undefined : [] }
          : own(modules)
            ? { type: "module", functions: modules[name] }
            : own(user) && name !== "custom"
              ? { type: "user", functions: user[name] }
              : own(core) && name !== "custom"
                ? { type: "core", functions: core[name] }
                : undefined
      const meaning: unknown = found === undefined ? undefined : { type: found.type, functions: functionsOf(found) }
      assert.deepStrictEqual(meaning, expected)
    }
  )

  it.prop(
    "is listed once, and only when it means something",
    [someSets, someSets, someSets],
    ([modules, user, core]) => {
      const sets: Sets = { modules: new Map(Object.entries(modules)), user: toolsets(user), core: toolsets(core) }
      const names = namesOf(sets)
      assert.strictEqual(new Set(names).size, names.length)
      for (const name of names) assert.isDefined(resolve(name, sets))
    }
  )

  it("that something else has cannot be saved under", () => {
    const modules = new Map([["memory", ["save_memory"]]])
    assert.strictEqual(reservedReason("all", modules), "built-in")
    assert.strictEqual(reservedReason("none", modules), "built-in")
    assert.strictEqual(reservedReason("custom", modules), "built-in")
    assert.strictEqual(reservedReason("memory", modules), "module")
    assert.strictEqual(reservedReason("_mine", modules), "ignored")
    assert.strictEqual(reservedReason("  ", modules), "empty")
    assert.isUndefined(reservedReason("mine", modules))
  })
})
