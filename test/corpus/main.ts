/**
 * Runs one suite over recorded material: `pnpm corpus wire`, or a part of it, `pnpm corpus wire openai-chat`.
 * `--folder <path>` is any folder that is laid out like the corpus, and may hold a part of it only. Without the material
 * it says so and succeeds. All failures are written to a file.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { corpusFolder } from "./folder.js"
import { type Report, render, type RunOptions } from "./Report.js"
import * as agent from "./agent.js"
import * as bfcl from "./bfcl.js"
import * as manifest from "./manifest.js"
import * as mcp from "./mcp.js"
import * as schema from "./schema.js"
import * as tau2 from "./tau2.js"
import * as tools from "./tools.js"
import * as wire from "./wire.js"

interface Suite {
  /** The part of the material that it needs. */
  readonly part: string
  readonly run: (folder: string, options: RunOptions) => Report | Promise<Report>
}

const suites: { readonly [name: string]: Suite } = { agent, bfcl, manifest, mcp, schema, tau2, tools, wire }

const { positionals, values } = parseArgs({ allowPositionals: true, options: { folder: { type: "string" } } })
const [name = "", only] = positionals
const folder = values.folder === undefined ? corpusFolder : resolve(values.folder)
const suite = Object.hasOwn(suites, name) ? suites[name] : undefined
if (suite === undefined) {
  console.error(`There is no suite ${JSON.stringify(name)}. The suites: ${Object.keys(suites).join(", ")}.`)
  process.exitCode = 2
} else if (!existsSync(join(folder, suite.part))) {
  console.log(`There is no ${suite.part} in ${folder} (--folder names another): nothing to check.`)
} else {
  const report = await suite.run(folder, { only })
  console.log(render(report))
  if (report.failures.length > 0) {
    const file = resolve(".corpus", `${name}-failures.txt`)
    mkdirSync(resolve(".corpus"), { recursive: true })
    writeFileSync(file, report.failures.map((failure) => `${failure}\n\n`).join(""))
    console.log(`All failures: ${file}`)
    process.exitCode = 1
  }
}
