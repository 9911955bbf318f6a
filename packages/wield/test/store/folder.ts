/** Records in a folder, a file each: what a developer would write in twenty lines, for processes that share it. */
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Records } from "wield/store"

export const folderRecords = async (folder: string): Promise<Records> => {
  await mkdir(folder, { recursive: true })
  const path = (key: string) => join(folder, key.replaceAll("/", "!"))
  /** A file is written aside first: a process that is killed leaves no half of it. */
  const aside = async (text: string) => {
    const written = join(folder, `.${crypto.randomUUID()}`)
    await writeFile(written, text)
    return written
  }
  const get = (key: string) => readFile(path(key), "utf8").catch(() => undefined)
  return {
    create: async (key, text) => {
      const written = await aside(text)
      try {
        await link(written, path(key))
        return true
      } catch (error) {
        if ((error as { readonly code: string }).code === "EEXIST") return false
        throw error
      } finally {
        await rm(written)
      }
    },
    set: async (key, text) => rename(await aside(text), path(key)),
    get,
    delete: (key) => rm(path(key), { force: true }),
    list: async (prefix, after = "") => {
      const keys = (await readdir(folder))
        .filter((name) => !name.startsWith("."))
        .map((name) => name.replaceAll("!", "/"))
      const found = keys.filter((key) => key.startsWith(prefix) && key > after).sort()
      return Promise.all(found.map(async (key) => ({ key, text: (await get(key)) ?? "" })))
    }
  }
}
