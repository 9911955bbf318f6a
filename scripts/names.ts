/**
 * Refuses functions that are exported under a participle (`decoded`): the name does not tell whether they decode, or say
 * that something is decoded.
 */
import { relative } from "node:path"
import { readSources, root } from "./sources.js"

const sources = [...readSources().values()].flat()
const wrong = sources.flatMap(({ participles, path }) => participles.map((name) => `${relative(root, path)}: ${name}`))
for (const name of wrong) console.error(`${name} is a participle: name a function by a verb, or by what it returns`)
console.log(`${sources.length} modules, ${wrong.length} wrong names`)
process.exitCode = wrong.length === 0 ? 0 : 1
