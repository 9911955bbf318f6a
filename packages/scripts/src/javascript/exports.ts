/** What a file exports, as far as it is a function or looks like one. */
import { fromAssignment, replacesExports } from "./commonJsExports.js"
import type { Export } from "./exported.js"
import { fromModule } from "./moduleExports.js"
import type { Reading } from "./reading.js"

/** In the order of the file; of each name the last one. */
export const exportsOf = (reading: Reading): ReadonlyArray<Export> => {
  const { sourceFile } = reading
  const replaced = sourceFile.statements.findLastIndex((statement) => replacesExports(reading, statement))
  const found = sourceFile.statements.flatMap((statement, index) => [
    ...fromModule(reading, statement),
    ...(reading.language === "javascript" && index >= replaced ? fromAssignment(reading, statement, replaced >= 0) : [])
  ])
  return [...new Map(found.map((one) => [one.name, one])).values()]
}
