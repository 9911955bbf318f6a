/**
 * Lays the built packages out as an installation would find them: their `dist` with the `exports` that publishing puts
 * in place. Peer dependencies are found in `bench/node_modules`, so that Wield and its peers share one Effect.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"

interface Manifest {
  readonly name: string
  readonly files: ReadonlyArray<string>
  readonly exports: unknown
  readonly publishConfig: { readonly exports: unknown }
  readonly dependencies?: { readonly [name: string]: string }
  readonly peerDependencies?: { readonly [name: string]: string }
}

/** With `areWhole`, peers are those of this repository, and not of the bench. */
export const stage = (root: string, destination: string, areWhole = false): void => {
  rmSync(destination, { recursive: true, force: true })
  for (const name of readdirSync(join(root, "packages"))) {
    const source = join(root, "packages", name)
    const target = join(destination, name)
    const manifest: Manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"))
    for (const file of manifest.files) {
      if (file !== "src" && !file.startsWith("!")) cpSync(join(source, file), join(target, file), { recursive: true })
    }
    const { publishConfig, ...rest } = manifest
    writeFileSync(join(target, "package.json"), JSON.stringify({ ...rest, exports: publishConfig.exports }, null, 2))
    for (const name of Object.keys({ ...manifest.peerDependencies, ...manifest.dependencies })) {
      const isOurs = name.startsWith("@wield/")
      // The Effect 4 of the bench has another name there.
      if (!areWhole && source.endsWith("effect4") && name === "effect") {
        link(join(destination, "../../node_modules/effect4"), join(target, "node_modules", name))
        continue
      }
      // Other peers are those of the bench.
      if (!isOurs && !areWhole && manifest.dependencies?.[name] === undefined) continue
      const installed = join(source, "node_modules", name)
      if (!existsSync(installed)) continue
      const found = isOurs ? join(destination, basename(realpathSync(installed))) : realpathSync(installed)
      link(found, join(target, "node_modules", name))
    }
  }
}

const link = (target: string, path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path, "junction")
}
