#!/usr/bin/env node
// What is answered before Effect is loaded takes a tenth of the time.
import { readFileSync } from "node:fs"

const [first, ...others] = process.argv.slice(2)
if (first === "--version" && others.length === 0) {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  console.log(version)
} else if (first === "__complete") {
  const { complete } = await import("./complete.js")
  complete(others)
} else {
  const { main } = await import("./main.js")
  main()
}
