/**
 * Writes what the commands say of themselves: a page for each in `docs/cli/`. A test fails while one is out of date.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { pages } from "../packages/cli/src/commands/pages.js"

const docs = join(dirname(dirname(fileURLToPath(import.meta.url))), "docs", "cli")
mkdirSync(docs, { recursive: true })
for (const [name, text] of pages()) writeFileSync(join(docs, name), text)
console.log(`wrote ${pages().size} pages`)
