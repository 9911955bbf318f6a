/** Records in a folder, a file each: what a developer would write in twenty lines, for processes that share it. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Records } from "wield/store"

export const folderRecords = async (folder: string): Promise<Records> => {
  await mkdir(folder, { recursive: true })
  const path = (key: string) => join(folder, key.replaceAll("/", "!"))
  const get = (key: string) => readFile(path(key), "utf8").catch(() => undefined)
  return {
    create: (key, text) =>
      writeFile(path(key), text, { flag: "wx" }).then(
        () => true,
        (error: { readonly code: string }) => {
          if (error.code === "EEXIST") return false
          throw error
        }
      ),
    set: (key, text) => writeFile(path(key), text),
    get,
    delete: (key) => rm(path(key), { force: true }),
    list: async (prefix, after = "") => {
      const keys = (await readdir(folder)).map((name) => name.replaceAll("!", "/"))
      const found = keys.filter((key) => key.startsWith(prefix) && key > after).sort()
      return Promise.all(found.map(async (key) => ({ key, text: (await get(key)) ?? "" })))
    }
  }
}
