// What `wield completions` asks while a person types: the names of the nearest project's tools, one a line. They come
// from a cache of names that `wield list` has written, so that pressing Tab runs no code and reads one small file.
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"

const names = ["ts", "mts", "js", "mjs", "json", "yaml", "yml"].map((extension) => `wield.config.${extension}`)

/** @param {string} start */
const projectOf = (start) => {
  for (let folder = start; ; folder = dirname(folder)) {
    if (names.some((name) => existsSync(join(folder, name)))) return folder
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return undefined
  }
}

/** @param {ReadonlyArray<string>} words The beginning of the name. */
export const complete = ([begin = ""]) => {
  const folder = projectOf(process.cwd())
  if (folder === undefined) return
  const given = process.env["XDG_CACHE_HOME"] ?? ""
  const cache = join(isAbsolute(given) ? given : join(homedir(), ".cache"), "wield")
  const file = join(cache, `${createHash("sha256").update(folder).digest("hex").slice(0, 32)}.names`)
  if (!existsSync(file)) return
  const found = readFileSync(file, "utf8").split("\n")
  process.stdout.write(
    found
      .filter((name) => name !== "" && name.startsWith(begin))
      .map((name) => `${name}\n`)
      .join("")
  )
}
