/** The compiler leaves the output of a deleted module where it is; without this it would be published. */
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"

export const removeStaleOutput = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(js|d\.ts)(\.map)?$/.test(file))
    .filter((file) => !existsSync(join(folder, "src", file.replace(/\.(js|d\.ts)(\.map)?$/, ".ts"))))
    .map((file) => {
      const path = join(folder, "dist", file)
      rmSync(path)
      return path
    })
