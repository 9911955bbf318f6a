/** Paths in what is told of a failure: as the script would write them, not where they are on this machine. */
import { dirname } from "node:path"

/** Texts of Node that name files by their whole paths, though the script has named them otherwise. */
const isOfLoader = (thrown) =>
  typeof thrown?.code === "string" &&
  /^(?:ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|ERR_REQUIRE_\w+|ERR_PACKAGE_\w+|ERR_UNSUPPORTED_\w+|ERR_INVALID_MODULE_\w+|ERR_INVALID_PACKAGE_\w+|ERR_UNKNOWN_FILE_EXTENSION|ERR_IMPORT_\w+)$/.test(
    thrown.code
  )

/** `detail` is what a thrown value says; texts of the script's own stay as they are. */
export const asThrown = (thrown, detail, folder) => {
  try {
    const isOne = isOfLoader(thrown) || (thrown instanceof AggregateError && thrown.errors.some(isOfLoader))
    return isOne ? asWritten(detail, folder) : detail
  } catch {
    return detail
  }
}

export const asWritten = (detail, folder) => {
  let text = detail
  let prefix = ""
  // Each folder above, up to the last before the root, by as many `../`.
  for (let above = folder; dirname(above) !== above; above = dirname(above)) {
    text = text.replaceAll(`file://${above}/`, prefix).replaceAll(`${above}/`, prefix)
    prefix += "../"
  }
  return text
}
