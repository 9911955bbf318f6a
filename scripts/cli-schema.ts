/** Writes the JSON Schema of what `wield … --json` prints. A test fails while what is written is not what it says. */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { jsonSchema } from "../packages/cli/src/output/jsonSchema.js"

const file = fileURLToPath(import.meta.resolve("@wield/cli/output.schema.json"))
writeFileSync(file, `${JSON.stringify(jsonSchema(), null, 2)}\n`)
console.log(`wrote ${file}`)
