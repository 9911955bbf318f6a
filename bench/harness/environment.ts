/** Where and with what was measured: a figure without it says nothing. */
import { readFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { join } from "node:path"
import { clock } from "./clock.js"
import { folder } from "./folders.js"

export interface Environment {
  readonly date: string
  readonly machine: string
  readonly node: string
  readonly clock: string
  readonly versions: { readonly [name: string]: string }
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: { readonly [name: string]: string }
}

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, "utf8"))

export const environment = (): Environment => {
  const processors = cpus()
  const names = Object.keys(readManifest(join(folder, "package.json")).dependencies ?? {})
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${processors.length} × ${processors[0]?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: process.version,
    clock,
    versions: Object.fromEntries(
      names.map((name) => [name, readManifest(join(folder, "node_modules", name, "package.json")).version])
    )
  }
}

export const renderEnvironment = ({ clock: used, date, machine, node, versions }: Environment): string =>
  [
    `${date}, ${machine}, Node ${node}, ${used}`,
    Object.entries(versions)
      .filter(([name]) => !name.startsWith("@types/"))
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")
  ].join("\n")
