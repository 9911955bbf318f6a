/**
 * Makes the files ready for a release: pnpm raises the version of all packages by what `.changeset/` says, and writes
 * their CHANGELOG.md; this writes the one of the repository, and the version wherever else it stands. Commit what it has
 * changed; the release workflow publishes and tags it.
 *
 * The workflow calls `canary <id>`, which gives all packages a version that no range takes, `notes`, which prints what
 * the changelog says of the version, and `order`, which lists the tarballs, each after those that it needs.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Manifest, readManifest, root } from "./pack.js"
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

const manifestPathsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(folder, "packages"))
    .map((name) => join(folder, "packages", name, "package.json"))
    .filter((path) => existsSync(path))

const versionsIn = (folder: string): ReadonlySet<string> =>
  new Set(manifestPathsIn(folder).map((path) => readManifest(path).version))

const writeVersion = (folder: string, paths: ReadonlyArray<string>, before: string, version: string): void => {
  for (const path of paths.map((place) => join(folder, place))) {
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(before, version))
  }
}

const oneOf = (versions: ReadonlySet<string>): string => {
  const [version = ""] = versions
  if (versions.size !== 1) throw new Error(`The packages have several versions: ${[...versions].join(", ")}`)
  return version
}

/** Returns the new version. */
export const release = async (folder: string): Promise<string> => {
  const before = oneOf(versionsIn(folder))
  const changes = pendingChanges(folder)
  const result = await runCommand("pnpm", ["version", "-r", "--no-git-checks"], { cwd: folder })
  if (!result.succeeded) throw new Error(`pnpm version -r: ${result.ending}\n${result.output}`)
  const version = oneOf(versionsIn(folder))
  writeVersion(folder, placesOfVersion, before, version)
  // A version that was never published is published as it is, and has its section already.
  if (version === before) return version
  const changelog = join(folder, "CHANGELOG.md")
  const [title = "", ...sections] = readFileSync(changelog, "utf8").split(/^(?=## )/m)
  writeFileSync(changelog, [title, `${sectionOf(version, changes)}\n`, ...sections].join(""))
  return version
}

/** What is to come, by its next patch: newer than what is published, and taken by no range. Returns the version. */
export const makeCanary = (folder: string, id: string): string => {
  const before = oneOf(versionsIn(folder))
  const [major, minor, patch] = before.split(".").map(Number)
  const version = `${major}.${minor}.${Number(patch) + 1}-canary.${id}`
  for (const path of manifestPathsIn(folder)) {
    const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest
    writeFileSync(path, `${JSON.stringify({ ...manifest, version }, undefined, 2)}\n`)
  }
  writeVersion(folder, placesOfVersion, before, version)
  return version
}

/** What the changelog says of the version that the packages have. */
export const notesOf = (folder: string): string => {
  const version = oneOf(versionsIn(folder))
  const sections = readFileSync(join(folder, "CHANGELOG.md"), "utf8").split(/^## /m)
  const section = sections.find((text) => text.startsWith(`${version}\n`)) ?? `${version}\n\nA canary.`
  return section.slice(version.length).trim()
}

/** The tarballs of `pnpm tarballs`, each after those of the packages that it needs. */
export const publishingOrder = (folder: string): ReadonlyArray<string> => {
  const manifests = new Map(
    manifestPathsIn(folder)
      .map((path) => readManifest(path))
      .filter((manifest) => manifest.private !== true)
      .map((manifest) => [manifest.name, manifest])
  )
  const ordered = new Set<Manifest>()
  const add = (manifest: Manifest): void => {
    const { dependencies, peerDependencies } = manifest
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      const needed = manifests.get(name)
      if (needed !== undefined && !ordered.has(needed)) add(needed)
    }
    ordered.add(manifest)
  }
  for (const manifest of manifests.values()) add(manifest)
  return [...ordered].map(({ name, version }) => `${name.replace("@", "").replace("/", "-")}-${version}.tgz`)
}

if (process.argv[1]?.endsWith("release.ts")) {
  const [command, id] = process.argv.slice(2)
  if (command === "notes") console.log(notesOf(root))
  else if (command === "order") {
    mkdirSync(join(root, "dist", "tarballs"), { recursive: true })
    writeFileSync(join(root, "dist", "tarballs", "order.txt"), `${publishingOrder(root).join("\n")}\n`)
  } else if (command === "canary" && id !== undefined) console.log(`The packages are ${makeCanary(root, id)}`)
  else if (command === undefined) console.log(`The packages are ${await release(root)}`)
  else throw new Error(`There is no "${command}" of a release: canary <id>, notes or order`)
}
