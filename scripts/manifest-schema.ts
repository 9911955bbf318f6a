/**
 * Writes the JSON Schema of manifests that @wield/manifest publishes, from the schemas that decode them. A test fails
 * while what is written is not what they say.
 */
import { ManifestFile, RestExecutor } from "@wield/manifest"
import * as GraphQlExecutor from "@wield/manifest/GraphQlExecutor"
import * as SqlExecutor from "@wield/manifest/SqlExecutor"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const factories = [RestExecutor.factory, GraphQlExecutor.factory, SqlExecutor.factory]
const file = fileURLToPath(import.meta.resolve("@wield/manifest/manifest.schema.json"))
writeFileSync(file, `${JSON.stringify(ManifestFile.jsonSchema(factories), null, 2)}\n`)
console.log(`wrote ${file}`)
