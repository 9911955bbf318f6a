/** Stacks that name the lines of the sources, and leave out this program. */
import { SourceMap } from "node:module"
import { basename } from "node:path"
import { pathToFileURL } from "node:url"

const own = new URL(".", import.meta.url).href
const maps = new Map()

export const installStacks = (modules) => {
  for (const { file, kind, map } of modules) {
    if (map === undefined) continue
    maps.set(kind === "commonjs" ? file : pathToFileURL(file).href, { file, text: map, map: undefined })
  }
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.filter((frame) => !frame.getFileName()?.startsWith(own)).map(lineOf)
    return [headOf(error), ...lines].join("\n")
  }
}

const headOf = (error) => {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return "Error"
  }
}

/** The place in the source that a frame of compiled code is of. */
const originalOf = (frame) => {
  const source = maps.get(frame.getFileName())
  if (source === undefined) return undefined
  source.map ??= new SourceMap(JSON.parse(source.text))
  const entry = source.map.findEntry(frame.getLineNumber() - 1, frame.getColumnNumber() - 1)
  return entry.originalLine === undefined
    ? undefined
    : { file: source.file, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
}

const lineOf = (frame) => {
  const original = originalOf(frame)
  const text = `    at ${frame}`
  if (original === undefined) return text
  const compiled = `${frame.getFileName()}:${frame.getLineNumber()}:${frame.getColumnNumber()}`
  return text.replace(compiled, `${original.file}:${original.line}:${original.column}`)
}

/** Where in the scripts an error was made: `weather.ts:3:5`. */
export const placeOf = (error) => {
  if (!(error instanceof Error) || typeof error.stack !== "string") return undefined
  for (const { file } of maps.values()) {
    const position = error.stack.indexOf(`${file}:`)
    if (position === -1) continue
    const place = /^:\d+:\d+/.exec(error.stack.slice(position + file.length))
    if (place !== null) return `${basename(file)}${place[0]}`
  }
  return undefined
}
