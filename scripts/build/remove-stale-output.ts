/** Neither the compiler nor the bundler removes what it wrote of a deleted module; without this it would be published. */
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"

const declarations = /\.d\.ts(\.map)?$/
const javaScript = /\.js(\.map)?$/

/** Removes declarations that have no source any more, and all JavaScript, for the bundler writes it again. */
export const removeStaleOutput = (folder: string): void => {
  const output = join(folder, "dist")
  if (!existsSync(output)) return
  const isStale = (file: string): boolean =>
    declarations.test(file)
      ? !existsSync(join(folder, "src", file.replace(declarations, ".ts")))
      : javaScript.test(file)
  for (const file of readdirSync(output, { recursive: true, encoding: "utf8" }).filter(isStale)) {
    rmSync(join(output, file))
  }
}
