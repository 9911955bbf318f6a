/**
 * Runs one suite over recorded material: `pnpm corpus wire`, or a part of it,
 * `pnpm corpus wire openai-chat`. Without the material it says so and succeeds.
 */
import { corpusFolder, hasCorpus } from "./folder.js"
import { type Report, render } from "./Report.js"
import * as agent from "./agent.js"
import * as bfcl from "./bfcl.js"
import * as manifest from "./manifest.js"
import * as schema from "./schema.js"
import * as tau2 from "./tau2.js"
import * as wire from "./wire.js"

/** A suite by its name on the command line, with the part of the material that it needs. */
const suites: ReadonlyMap<
  string,
  { readonly part: string; readonly run: (folder: string, only?: string) => Report | Promise<Report> }
> = new Map<
  string,
  { readonly part: string; readonly run: (folder: string, only?: string) => Report | Promise<Report> }
>([
  ["agent", agent],
  ["bfcl", bfcl],
  ["manifest", manifest],
  ["schema", schema],
  ["tau2", tau2],
  ["wire", wire]
])

const name = process.argv[2] ?? ""
const suite = suites.get(name)
if (suite === undefined) {
  console.error(`There is no suite ${JSON.stringify(name)}. The suites: ${[...suites.keys()].join(", ")}.`)
  process.exitCode = 2
} else if (!hasCorpus(suite.part)) {
  console.log(`There is no ${suite.part} in ${corpusFolder} (WIELD_CORPUS names another folder): nothing to check.`)
} else {
  const report = await suite.run(corpusFolder, process.argv[3])
  console.log(render(report))
  if (report.failures.length > 0) process.exitCode = 1
}
