/** Measures one group of one case in this process: `node runGroup.js call one`. Writes its JSON beside the others. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cases } from "./cases/index.js"
import { environment } from "./harness/environment.js"
import { results } from "./harness/folders.js"
import { render } from "./harness/table.js"

const [caseName = "", groupName = ""] = process.argv.slice(2)
const loaded = await cases[caseName]?.()
const group = loaded?.groups.find(({ name }) => name === groupName)
if (group === undefined) throw new Error(`there is no group ${groupName} in a case ${caseName}`)

const measured = await group.measure()
for (const table of measured.tables) console.log(render(table))
for (const note of measured.notes ?? []) console.log(`${note}\n`)
mkdirSync(results, { recursive: true })
writeFileSync(
  join(results, `${caseName}.${groupName}.json`),
  `${JSON.stringify({ case: caseName, group: groupName, environment: environment(), ...measured }, null, 2)}\n`
)
// A peer may have left a timer or a connection behind.
process.exit(0)
