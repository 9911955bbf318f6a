/** Programs in processes of their own, whose answer is a line of JSON. */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { generated } from "./folders.js"

/** Writes a program where it finds the bench's packages, and answers with its path. */
export const write = (path: string, text: string): string => {
  const file = join(generated, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

export const run = (file: string, nodeOptions: ReadonlyArray<string> = []): unknown => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [...nodeOptions, file], { encoding: "utf8" })
  if (status !== 0) throw new Error(`${file} ended with exit code ${status}\n${stderr}`)
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "")
}
