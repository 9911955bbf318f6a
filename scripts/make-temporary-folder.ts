import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Memory, where there is enough and programs start from it: tests write and sync thousands of small files, and would
 * wait for the disk. They take half a gigabyte. `TMPDIR` names another place.
 */
const parentFolder = (): string => {
  const memory = "/dev/shm"
  if (process.env["TMPDIR"] !== undefined) return tmpdir()
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n")
    const options = mounts.map((mount) => mount.split(" ")).find(([, path]) => path === memory)?.[3]
    return bavail * bsize > 2e9 && options?.split(",").includes("noexec") === false ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** A folder for what is needed as long as this process, which removes it. All users may write into it, as into `/tmp`. */
export const makeTemporaryFolder = (prefix: string): string => {
  const folder = mkdtempSync(join(parentFolder(), prefix))
  // Some tests start their programs as another user. Postgres runs as one, as it refuses to run as root.
  chmodSync(folder, 0o1777)
  return folder
}
