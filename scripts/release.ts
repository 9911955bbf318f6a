/**
 * Makes the files ready for a release: pnpm raises the version of all packages by what `.changeset/` says, and writes
 * their CHANGELOG.md; this writes the one of the repository, and the version wherever else it stands. Commit what it has
 * changed; the release workflow publishes and tags it. `pnpm release <folder>` does it to another copy of the repository.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readManifest, root } from "./pack.js"
import { runCommand } from "./run-command.js"

/** What holds the version, beside the packages that pnpm writes. */
export const placesOfVersion = [
  "README.md",
  "docs/getting-started.md",
  "package.json",
  "packages/cli/src/commands/runTree.ts",
  "packages/cli/src/commands/serveMcp.ts",
  "packages/cli/src/commands/templates.ts",
  "packages/interop/src/claude-agent.ts",
  "packages/mcp/src/client/sdk.ts"
]

interface Change {
  readonly packages: ReadonlyArray<{ readonly name: string; readonly bump: string }>
  readonly summary: string
}

const pendingChanges = (folder: string): ReadonlyArray<Change> => {
  const intents = join(folder, ".changeset")
  if (!existsSync(intents)) return []
  return readdirSync(intents)
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .sort()
    .map((name) => {
      const [, matter = "", summary = ""] =
        /^---\n([^]*?)\n---\n([^]*)$/.exec(readFileSync(join(intents, name), "utf8")) ?? []
      const packages = [...matter.matchAll(/^"?([^":]+)"?: (\w+)$/gm)].map(([, name = "", bump = ""]) => ({
        name,
        bump
      }))
      return { packages: packages.filter(({ bump }) => bump !== "none"), summary: summary.trim() }
    })
    .filter(({ packages }) => packages.length > 0)
}

const sectionOf = (version: string, changes: ReadonlyArray<Change>): string => {
  const breaking = changes.filter(({ packages }) => packages.some(({ bump }) => bump !== "patch"))
  const list = (title: string, given: ReadonlyArray<Change>): ReadonlyArray<string> =>
    given.length === 0
      ? []
      : [
          `### ${title}\n`,
          ...given.map(
            ({ packages, summary }) => `- ${packages.map(({ name }) => `\`${name}\``).join(", ")}: ${summary}`
          ),
          ""
        ]
  const mended = changes.filter((change) => !breaking.includes(change))
  return [`## ${version}\n`, ...list("Changes", breaking), ...list("Mended", mended)].join("\n")
}

const versionsIn = (folder: string): ReadonlySet<string> =>
  new Set(
    readdirSync(join(folder, "packages"))
      .map((name) => join(folder, "packages", name, "package.json"))
      .filter((path) => existsSync(path))
      .map((path) => readManifest(path).version)
  )

const oneOf = (versions: ReadonlySet<string>): string => {
  const [version = ""] = versions
  if (versions.size !== 1) throw new Error(`The packages have several versions: ${[...versions].join(", ")}`)
  return version
}

/** Returns the new version. */
export const release = async (folder: string): Promise<string> => {
  const before = oneOf(versionsIn(folder))
  const changes = pendingChanges(folder)
  const result = await runCommand("pnpm", ["version", "-r", "--no-git-checks"], { cwd: folder, timeLimitSeconds: 300 })
  if (!result.succeeded) throw new Error(`pnpm version -r: ${result.ending}\n${result.output}`)
  const version = oneOf(versionsIn(folder))
  for (const place of placesOfVersion) {
    const path = join(folder, place)
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(before, version))
  }
  // A version that was never published is published as it is, and has its section already.
  if (version === before) return version
  const changelog = join(folder, "CHANGELOG.md")
  const [title = "", ...sections] = readFileSync(changelog, "utf8").split(/^(?=## )/m)
  writeFileSync(changelog, [title, `${sectionOf(version, changes)}\n`, ...sections].join(""))
  return version
}

if (process.argv[1]?.endsWith("release.ts")) console.log(`The packages are ${await release(process.argv[2] ?? root)}`)
