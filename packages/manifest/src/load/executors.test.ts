/** Where a manifest's relative paths start from. */
import { expect, it } from "@effect/vitest"
import { folderOf } from "./executors.js"

it("the folder of a file is its path without its name, and a root keeps its slash", () => {
  const files = ["shop/tools.json", "tools.json", "/tools.json", "C:\\shop\\tools.json", "C:\\tools.json", undefined]
  expect(files.map(folderOf)).toStrictEqual(["shop", ".", "/", "C:\\shop", "C:\\", undefined])
})
