/** The program's log, kept to be shown: the model reads only a reference to what stands here. */
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
