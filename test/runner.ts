import { VitestTestRunner } from "vitest/runners"

/**
 * How long each module took to import would be sent with the tasks of each file, for all modules of the process that
 * the files share: as text with a number for each byte.
 */
export default class extends VitestTestRunner {
  override getImportDurations(): ReturnType<VitestTestRunner["getImportDurations"]> {
    return {}
  }
}
