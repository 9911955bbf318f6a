/** Keys of records. */
import * as Digest from "@wield/core/Digest"
import type { Records } from "../RecordStore.js"

/** A part of a key: ids that are no plain words, or that a file system would take for a folder, are known by their digest. */
export const nameOf = (id: string): string =>
  /^[\w-][\w.-]{0,99}$/.test(id) ? id : `~${Digest.ofText(JSON.stringify(id))}`

export const deleteAll = async (records: Records, prefix: string): Promise<void> => {
  for (const { key } of await records.list(prefix)) await records.delete(key)
}
