/** The program's log, kept to be shown: what the model is told of as a reference only, stands there. */
import { type Layer, Logger } from "effect"

export interface ProgramLog {
  readonly lines: ReadonlyArray<string>
  readonly layer: Layer.Layer<never>
}

export const makeProgramLog = (): ProgramLog => {
  const lines: Array<string> = []
  const logger = Logger.map(Logger.logfmtLogger, (line) => {
    lines.push(line.replace(/^timestamp=\S+ /, "").replace(/ fiber=\S+/, ""))
  })
  return { lines, layer: Logger.replace(Logger.defaultLogger, logger) }
}
