import { FileSystem } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Problem } from "@wield/core"
import { ScriptFolder, Selection } from "@wield/scripts"
import { Effect } from "effect"
import { folderOf, javascript, platform, python } from "./folders.js"

const namesOf = ({ scripts }: ScriptFolder.ScriptFolder) =>
  scripts.flatMap(({ functions }) => functions.map(({ name }) => name))

/** `file: rule`, with the file's name alone. */
const rulesOf = ({ folder, problems }: ScriptFolder.ScriptFolder) =>
  problems.filter(Problem.isError).map(({ file, rule }) => `${file.replace(`${folder}/`, "")}: ${rule}`)

it.scoped("reads the scripts of a folder in the order of their names, each with its language", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf({
      "web-search.py": python("Searches", "name"),
      "add.js": javascript("Adds", "name"),
      "Zed.mjs": javascript("Z", "name")
    })
    const loaded = yield* ScriptFolder.load(folder)
    expect(rulesOf(loaded)).toStrictEqual([])
    expect(namesOf(loaded)).toStrictEqual(["zed", "add", "web_search"])
    expect(loaded.scripts.map(({ file, language }) => [file, language])).toStrictEqual([
      [`${folder}/Zed.mjs`, "javascript"],
      [`${folder}/add.js`, "javascript"],
      [`${folder}/web-search.py`, "python"]
    ])
  }).pipe(Effect.provide(platform))
)

it.scoped("leaves hidden files, `_`-prefixed ones, other extensions and folders alone", () =>
  Effect.gen(function* () {
    const broken = "this is no script {"
    const folder = yield* folderOf({
      "a.py": python("A", "name"),
      ".hidden.py": broken,
      "_shared.py": broken,
      "types.d.ts": broken,
      "notes.md": broken,
      Makefile: broken,
      "lib/inner.py": broken,
      "node_modules/x/index.js": broken,
      ".venv/lib/site.py": broken,
      "__pycache__/a.py": broken,
      "cache/a/b.py": broken,
      "folder.py/x.py": broken
    })
    const loaded = yield* ScriptFolder.load(folder)
    expect(namesOf(loaded)).toStrictEqual(["a"])
    expect(rulesOf(loaded)).toStrictEqual(["folder.py: no-file"])
  }).pipe(Effect.provide(platform))
)

it.scoped("reports what is wrong with a file, and reads the others", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf({
      "good.py": python("Good", "name"),
      "empty.py": "",
      "latin.py": new Uint8Array([0x23, 0xe9, 0x0a]),
      "nul.js": "export function run() {}\n\0",
      "syntax.py": "def run(:\n",
      "nothing.js": "export const x = 1\n",
      "large.py": "#".repeat(1_100_000),
      "---.py": python("Nameless", "name"),
      "bom.py": `\uFEFF${python("With a mark", "name")}`,
      "windows.py": python("From Windows", "name").replaceAll("\n", "\r\n")
    })
    const loaded = yield* ScriptFolder.load(folder)
    expect(namesOf(loaded)).toStrictEqual(["bom", "good", "windows"])
    const rules = rulesOf(loaded)
    for (const rule of [
      "---.py: no-name",
      "empty.py: empty-file",
      "large.py: too-large",
      "latin.py: not-utf-8",
      "nul.js: nul-character"
    ]) {
      expect(rules).toContain(rule)
    }
    expect(new Set(rules.map((rule) => rule.split(":")[0]))).toStrictEqual(
      new Set(["---.py", "empty.py", "large.py", "latin.py", "nothing.js", "nul.js", "syntax.py"])
    )
    expect(loaded.scripts.find(({ file }) => file.endsWith("bom.py"))?.text.startsWith("def run")).toBe(true)
  }).pipe(Effect.provide(platform))
)

it.scoped("fails where there is no folder, and says which", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf({})
    const missing = yield* Effect.flip(ScriptFolder.load(`${folder}/none`))
    expect(missing.message).toBe(`${folder}/none cannot be read: there is no such folder`)
    expect(missing._tag).toBe("UnreadableScript")
    expect(missing.message).toContain(`${folder}/none cannot be read`)
    expect(yield* ScriptFolder.load(folder)).toStrictEqual({ folder, scripts: [], problems: [] })
  }).pipe(Effect.provide(platform))
)

it.scoped("keeps the tool of the first file where two have one name, and names both files", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf({
      "get-it.py": python("Dash", "name"),
      "get_it.js": javascript("Underscore", "name"),
      "other.py": python("Other", "name")
    })
    const loaded = yield* ScriptFolder.load(folder)
    expect(loaded.scripts.map(({ file }) => file.slice(folder.length + 1))).toStrictEqual(["get-it.py", "other.py"])
    const [collision] = loaded.problems.filter(Problem.isError)
    expect(collision).toMatchObject({ rule: "tool-name-collision", file: `${folder}/get_it.js`, subject: "run" })
    expect(collision?.message).toBe(
      'The tool "get_it" of get_it.js has the name of one of get-it.py, which is kept; rename one of them'
    )
    expect(collision?.place).toBeDefined()
  }).pipe(Effect.provide(platform))
)

it.scoped("takes each public function of `tools.py` for a tool, and of other files where it is told to", () =>
  Effect.gen(function* () {
    const text = 'def one():\n    """One"""\n\ndef two():\n    """Two"""\n\ndef _three():\n    """Three"""\n'
    const folder = yield* folderOf({ "tools.py": text })
    expect(namesOf(yield* ScriptFolder.load(folder))).toStrictEqual(["one", "two"])
    const other = yield* folderOf({ "many.py": text })
    expect(namesOf(yield* ScriptFolder.load(other))).toStrictEqual([])
    expect(namesOf(yield* ScriptFolder.load(other, { kind: "agent" }))).toStrictEqual(["one", "two"])
  }).pipe(Effect.provide(platform))
)

it.scoped("follows links within the folder, and those that leave it only where it is told to", () =>
  Effect.gen(function* () {
    const system = yield* FileSystem.FileSystem
    const elsewhere = yield* folderOf({ "outside.py": python("Outside", "name") })
    const folder = yield* folderOf({ "lib/inside.py": python("Inside", "name") })
    yield* system.symlink(`${folder}/lib/inside.py`, `${folder}/inside.py`)
    yield* system.symlink(`${elsewhere}/outside.py`, `${folder}/outside.py`)
    yield* system.symlink(`${folder}/nowhere.py`, `${folder}/dangling.py`)
    const loaded = yield* ScriptFolder.load(folder)
    expect(namesOf(loaded)).toStrictEqual(["inside"])
    expect(rulesOf(loaded)).toStrictEqual(["dangling.py: unreadable", "outside.py: link-outside"])
    const trusting = yield* ScriptFolder.load(folder, { linkRoots: [elsewhere] })
    expect(namesOf(trusting)).toStrictEqual(["inside", "outside"])
    // The folder may be reached by a link itself.
    yield* system.symlink(folder, `${elsewhere}/linked`)
    expect(namesOf(yield* ScriptFolder.load(`${elsewhere}/linked`))).toStrictEqual(["inside"])
  }).pipe(Effect.provide(platform))
)

it.scoped("reads the files that are visible only, and reports those that are not there or are no scripts", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf({
      "fs_cat.py": python("Cat", "name"),
      "fs_ls.py": "broken (",
      "_private.py": python("Private", "name"),
      "tool.rb": "def run; end"
    })
    const visibleTools = ["fs_cat.py", "_private.py", "fs_cta.py", "tool.rb", "../secret.py", "fs_cat.py"]
    const loaded = yield* ScriptFolder.load(folder, { selection: Selection.make({ visibleTools }) })
    expect(namesOf(loaded)).toStrictEqual(["private", "fs_cat"])
    const messages = loaded.problems.filter(Problem.isError).map(({ message }) => message)
    expect(messages.toSorted()).toStrictEqual([
      'Tool definition file not found: "../secret.py"; name files of the folder itself, with their extension',
      'Tool definition file not found: "fs_cta.py" (did you mean "fs_cat.py"?); name files of the folder itself, with their extension',
      'Unsupported tool file extension: "tool.rb" ends in none of .py, .sh, .bash, .ts, .mts, .js, .mjs, .cjs'
    ])
  }).pipe(Effect.provide(platform))
)

it.scoped("offers the tools that are enabled, by their names and by aliases", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf({
      "fs_cat.py": python("Cat", "name"),
      "fs_ls.py": python("Ls", "name"),
      "web.js": javascript("Web", "name")
    })
    const selection = Selection.make({ enabledTools: ["fs", "wbe"], mappingTools: { fs: ["fs_cat", "fs_ls"] } })
    const loaded = yield* ScriptFolder.load(folder, { selection })
    expect(namesOf(loaded)).toStrictEqual(["fs_cat", "fs_ls"])
    expect(loaded.problems.map(({ message, subject }) => `${subject}: ${message}`)).toStrictEqual([
      'enabled_tools: "wbe" is neither a tool nor an alias (did you mean "web"?)'
    ])
    const all = yield* ScriptFolder.load(folder)
    const selected = Selection.applyToFolder(all, Selection.make({ visibleTools: ["web.js"] }))
    expect(namesOf(selected)).toStrictEqual(["web"])
  }).pipe(Effect.provide(platform))
)

it.scoped(
  "has no problem with a file that is gone by the time it is read, and one with a link that leads nowhere",
  () =>
    Effect.gen(function* () {
      const folder = yield* folderOf({ "a.py": python("A", "name"), "b.py": python("B", "name") })
      const system = yield* FileSystem.FileSystem
      yield* system.symlink(`${folder}/nowhere.py`, `${folder}/c.py`)
      // Somebody removes a file right after the folder was listed.
      const removing: FileSystem.FileSystem = {
        ...system,
        readDirectory: (path, options) =>
          Effect.tap(system.readDirectory(path, options), () => Effect.ignore(system.remove(`${folder}/b.py`)))
      }
      const loaded = yield* Effect.provideService(ScriptFolder.load(folder), FileSystem.FileSystem, removing)
      expect(namesOf(loaded)).toStrictEqual(["a"])
      expect(rulesOf(loaded)).toStrictEqual(["c.py: unreadable"])
    }).pipe(Effect.provide(platform))
)

/** As deep as no parser of a compiler follows, or so that each name stands for another twice. */
const hostile: { readonly [file: string]: string } = {
  "brackets.py": `def run(x: int = 1):\n    """Does."""\n    return ${"[".repeat(20_000)}1${"]".repeat(20_000)}\n`,
  "sum.py": `def run(x=${"1+".repeat(20_000)}1):\n    """Does."""\n`,
  "brackets.ts": `/** Does. */\nexport function run(x: ${"(".repeat(5000)}string${")".repeat(5000)}) {}\n`,
  "names.ts": `${chain((index) => `type A${index + 1} = A${index}`)}\n/** Does. */\nexport function run(x: A5000) {}\n`,
  "keys.ts": `/** Does. */\nexport function run(x: ${"keyof ".repeat(20_000)}string) {}\n`,
  "members.js": `/** Does.\n * @param {object} ${"a.".repeat(20_000)}a - Y\n */\nexport function run(a) {}\n`,
  "constants.ts": `${chain((index) => `const A${index + 1} = A${index}`)}\n/** Does. */\nexport function run(x = ${"[".repeat(3000)}A5000${"]".repeat(3000)}) {}\n`
}

function chain(line: (index: number) => string): string {
  return Array.from({ length: 5000 }, (_, index) => line(index)).join("\n")
}

it.scoped("has a problem for each file that is too deep to be read, and the tools of the others", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf({ ...hostile, "good.py": python("Good", "name") })
    const loaded = yield* ScriptFolder.load(folder)
    expect(namesOf(loaded)).toStrictEqual(["good"])
    expect(rulesOf(loaded).toSorted()).toStrictEqual(
      Object.keys(hostile)
        .toSorted()
        .map(
          (file) => `${file}: ${["brackets.ts", "constants.ts", "keys.ts"].includes(file) ? "syntax" : "too-complex"}`
        )
    )
  }).pipe(Effect.provide(platform))
)
