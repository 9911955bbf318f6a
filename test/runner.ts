import { VitestTestRunner } from "vitest/runners"

type Report = (...tasks: ReadonlyArray<unknown>) => Promise<void>

export default class extends VitestTestRunner {
  #report: Report | undefined

  /**
   * How long each module took to import would be sent with the tasks of each file, for all modules of the process that
   * the files share: as text with a number for each byte.
   */
  override getImportDurations(): ReturnType<VitestTestRunner["getImportDurations"]> {
    return {}
  }

  get onTaskUpdate(): Report | undefined {
    return this.#report
  }

  /**
   * Vitest, which sets it, waits a minute for the receipt of what it reports. A test that computes for longer reads the
   * receipt late: the report itself has arrived.
   */
  set onTaskUpdate(report: Report | undefined) {
    this.#report = report && ((...tasks) => report(...tasks).catch(unlessLate))
  }
}

const unlessLate = (error: unknown): void => {
  if (!(error instanceof Error && error.message === '[vitest-worker]: Timeout calling "onTaskUpdate"')) throw error
}
