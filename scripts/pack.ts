/** Builds every package, and packs it as it would be published. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { runCommand } from "./run-command.js"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin?: Readonly<Record<string, string>>
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export interface Tarball {
  readonly folder: string
  readonly name: string
  readonly tarball: string
}

export const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, "utf8")) as Manifest

export const execute = async (command: string, commandArguments: ReadonlyArray<string>): Promise<string> => {
  const result = await runCommand(command, commandArguments, { cwd: root })
  if (result.succeeded) return result.output
  throw new Error(`${command} ${commandArguments.join(" ")}: ${result.ending}\n${result.output}`)
}

/** The tarballs lie in `folder`. */
export const packAll = async (folder: string): Promise<ReadonlyArray<Tarball>> => {
  await execute("pnpm", ["run", "build"])
  const tarballs: Array<Tarball> = []
  for (const entry of readdirSync(join(root, "packages"))) {
    const source = join(root, "packages", entry)
    if (!existsSync(join(source, "package.json"))) continue
    const { name, private: isPrivate } = readManifest(join(source, "package.json"))
    if (isPrivate === true) continue
    const tarball = join(folder, `${entry}.tgz`)
    await execute("pnpm", ["--dir", source, "pack", "--out", tarball])
    tarballs.push({ folder: source, name, tarball })
  }
  return tarballs
}
