/**
 * Keeps the words plain. Refuses exported functions that a participle names (`decoded`: does it decode, or is it a
 * value?), casts that no comment proves, and words that readers stumble on, in sources, documents and examples.
 * Refuses more documentation than a reader has time for.
 *
 * `tsx scripts/words.ts docs packages/core` looks for words in these folders only.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { readSources, root } from "./sources.js"

/** Words, and what to write instead. */
const stiff: ReadonlyArray<readonly [word: string, instead: string]> = [
  ["whoever", "name who: users, callers"],
  ["nobody", "no one, or name who does not"],
  ["somebody", "name who: a person, a caller"],
  ["anybody", "anyone, or name who"],
  ["anew", "again"],
  ["is none", "is missing, is not a …"],
  ["are none", "are missing, are not …"],
  ["what is no", "name the thing"],
  ["told", "says, reports, names, shows"],
  ["lest", "so that … not"],
  ["for ever", "without end"]
]

/** Words of all pages in `docs/`, code and tables too, as `wc -w` counts them. */
const docsLimit = 64_200

const filesUnder = (path: string): ReadonlyArray<string> =>
  /\.\w+$/.test(path)
    ? [path]
    : readdirSync(join(root, path), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(ts|md)$/.test(entry.name) && !/\.test(-d)?\.ts$/.test(entry.name))
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        .filter(
          (file) => !file.includes("node_modules/") && !/^packages\/[^/]+\/(test|types|dist|docs|build)\//.test(file)
        )
        .filter((file) => file !== "scripts/words.ts" && file !== "scripts/participles.ts")

const folders = process.argv.slice(2)
const all = ["packages", "docs", "skills", "examples", "scripts", "README.md", "CONTRIBUTING.md", "AGENTS.md"].flatMap(
  filesUnder
)
const isUnder = (file: string) => (folder: string) =>
  file === folder || file.startsWith(`${folder.replace(/\/$/, "")}/`)
const files = folders.length > 0 ? all.filter((file) => folders.some(isUnder(file))) : all

const words = new RegExp(`\\b(${stiff.map(([word]) => word).join("|")})\\b`, "gi")
const wrongWords = files.flatMap((file) =>
  readFileSync(join(root, file), "utf8")
    .split("\n")
    .flatMap((line, index) =>
      [...line.matchAll(words)].map(([word]) => {
        const instead = stiff.find(([stiffWord]) => stiffWord === word.toLowerCase())?.[1]
        return `${file}:${index + 1}: "${word}" (${instead}): ${line.trim()}`
      })
    )
)
const sources = [...readSources().values()].flat()
const participles = sources.flatMap(({ participles, path }) =>
  participles.map(
    (name) => `${relative(root, path)}: ${name} is a participle: name a function by a verb or by its result`
  )
)

const unproved = sources.flatMap(({ path, unprovedCasts }) =>
  unprovedCasts.map((line) => `${relative(root, path)}:${line}: a cast: say above it why it is true, or do without it`)
)

const wordsOf = (file: string): number => readFileSync(join(root, file), "utf8").match(/\S+/g)?.length ?? 0
const docsWords = all.filter((file) => /^docs\/.*\.md$/.test(file)).reduce((sum, file) => sum + wordsOf(file), 0)
const tooLong =
  docsWords > docsLimit
    ? [
        `docs/ has ${docsWords} words, ${docsWords - docsLimit} more than its limit of ${docsLimit}: shorten a page, or link to the page that says it already`
      ]
    : []

const wrong = [...participles, ...unproved, ...wrongWords, ...tooLong]
for (const line of wrong) console.error(line)
console.log(`${files.length} files, ${wrong.length} problems; docs/ has ${docsWords} of ${docsLimit} words`)
process.exitCode = wrong.length === 0 ? 0 : 1
