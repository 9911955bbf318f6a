/** The bench's own folder; this module runs as `bench/.build/bench/harness/folders.js`. */
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..")

/** Tables as JSON, one file a group. */
export const results = join(folder, "results")

/** Programs that a case writes to measure them. */
export const generated = join(folder, ".build", "generated")
