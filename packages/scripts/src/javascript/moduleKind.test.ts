import { expect, it } from "@effect/vitest"
import { moduleKindOf } from "./moduleKind.js"

it.each([
  ["an import", "a.js", 'import "node:fs"', "esm"],
  ["an export", "a.js", "export function run() {}", "esm"],
  ["import.meta", "a.js", "console.log(import.meta.url)", "esm"],
  ["an export beside require", "a.ts", 'const fs = require("fs")\nexport const a = fs', "esm"],
  ["an assignment to exports", "a.js", "exports.run = () => 1", "commonjs"],
  ["an assignment to module.exports", "a.js", "module.exports = { run() {} }", "commonjs"],
  ["require deep inside", "a.js", 'function load() { return () => require("fs") }', "commonjs"],
  ["export =", "a.ts", "export = { run() {} }", "commonjs"],
  ["import = require", "a.ts", 'import fs = require("fs")\nexport const a = fs', "commonjs"],
  ["neither", "a.js", "const exported = { exports: 1 }.exports", "esm"],
  ["an empty file", "a.ts", "", "esm"],
  ["the extension .cjs, whatever it says", "a.cjs", "export function run() {}", "commonjs"],
  ["the extension .mjs, whatever it says", "a.mjs", "exports.run = () => 1", "esm"],
  ["the extension .mts", "A.MTS", "", "esm"],
  ["the word in a comment or a text only", "a.js", "// exports.run = 1\nconst text = 'require(1)'", "esm"]
] as const)("%s makes a file what it is", (_, file, text, kind) => {
  expect(moduleKindOf(file, text)).toBe(kind)
})
