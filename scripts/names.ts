/**
 * Names that must not come back: functions exported under a participle (`decoded`), which do not tell whether they
 * decode, or say that something is decoded. `words/left.txt` lists those that are left; it only gets shorter.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { exportedFunctions } from "./words/functions.js"
import { isParticiple } from "./words/participles.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const packages = join(root, "packages")

const sources = readdirSync(packages)
  .flatMap((name) => readdirSync(join(packages, name, "src"), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /(?<!\.test|\.test-d)\.ts$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))

const found = sources.flatMap((path) => {
  const file = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest)
  return exportedFunctions(file)
    .filter(isParticiple)
    .map((name) => `${relative(packages, path).replaceAll("\\", "/")} ${name}`)
})
const left = readFileSync(join(root, "scripts", "words", "left.txt"), "utf8")
  .split("\n")
  .filter(Boolean)

const added = found.filter((entry) => !left.includes(entry))
const gone = left.filter((entry) => !found.includes(entry))
for (const entry of added) {
  const [path = "", name = ""] = entry.split(" ")
  console.error(`packages/${path}: ${name} is a participle: name a function by a verb, or by what it returns`)
}
for (const entry of gone) console.error(`scripts/words/left.txt: take out "${entry}", which is gone`)
console.log(`${sources.length} modules, ${added.length + gone.length} wrong names`)
process.exitCode = added.length + gone.length === 0 ? 0 : 1
