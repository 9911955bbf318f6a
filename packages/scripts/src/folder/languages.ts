/** What a file's name says: its language, and the name of its tool. */
import type { Language } from "../Script.js"
import { namesTo } from "../syntax/names.js"

const languages = namesTo<Language>(
  [".py", "python"],
  [".sh .bash", "bash"],
  [".ts .mts", "typescript"],
  [".js .mjs .cjs", "javascript"]
)

export const extensions: ReadonlyArray<string> = [...languages.keys()]

/** The name without its folder. */
export const nameOf = (file: string): string => file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1)

/** Declarations of types are no script. */
export const languageOf = (file: string): Language | undefined =>
  /\.d\.[cm]?ts$/.test(file) ? undefined : languages.get(extensionOf(file))

const extensionOf = (file: string): string => /\.[^./\\]+$/.exec(file)?.[0].toLowerCase() ?? ""

/** The name without folder and extension. */
export const stemOf = (file: string): string => {
  const name = nameOf(file)
  const extension = extensionOf(name)
  return languages.has(extension) ? name.slice(0, -extension.length) : name
}

/** A tool's name by the file's stem, as Loki does: small letters, underscores for the rest, none at the ends. */
export const toolNameOf = (stem: string): string =>
  stem
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_|_$/g, "")
    .toLowerCase()
