/** What a compiler does for a program, by its own figures. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { folder } from "./folders.js"

export const compilers = [
  { name: "TypeScript 5.9.3", path: join(folder, "node_modules", "typescript", "bin", "tsc") },
  { name: "TypeScript 7.0.2", path: join(folder, "node_modules", "typescript7", "bin", "tsc") }
] as const

export type Compiler = (typeof compilers)[number]

export const groupName = ({ name }: Compiler): string => name.replace(" ", "-").toLowerCase()

/** The settings of a program, whose files these patterns name. */
export const configurationOf = (...include: ReadonlyArray<string>): string =>
  JSON.stringify({
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      target: "ES2022",
      module: "NodeNext",
      types: []
    },
    include
  })

export interface Checked {
  readonly instantiations: number
  readonly types: number
  /** Seconds of wall time for checking alone. */
  readonly checkSeconds: number
  readonly totalSeconds: number
  readonly mebibytes: number
}

/** Checks the program of a folder with a `tsconfig.json`. Throws where it does not type-check. */
export const typeCheck = ({ name, path }: Compiler, project: string): Checked => {
  const { status, stdout } = spawnSync(process.execPath, [path, "--extendedDiagnostics", "-p", project], {
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(`${project} does not type-check with ${name}:\n${stdout.slice(0, 2_000)}`)
  const figure = (label: string): number => {
    const found = new RegExp(`^${label}:\\s*([\\d.]+)`, "m").exec(stdout)?.[1]
    if (found === undefined) throw new Error(`${name} does not print its ${label}`)
    return Number(found)
  }
  return {
    instantiations: figure("Instantiations"),
    types: figure("Types"),
    checkSeconds: figure("Check time"),
    totalSeconds: figure("Total time"),
    mebibytes: figure("Memory used") / 1024
  }
}
