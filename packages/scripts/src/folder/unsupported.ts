/**
 * That no language is known for a file.
 */
import type { Problem } from "@wield/core/Problem"
import { extensions, nameOf } from "./languages.js"
import { fileError } from "./problem.js"

export const unsupported = (file: string): Problem =>
  fileError(
    file,
    "unsupported-extension",
    `Unsupported tool file extension: ${JSON.stringify(nameOf(file))} ends in none of ${extensions.join(", ")}`
  )
