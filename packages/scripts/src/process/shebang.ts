/** The command that the first line of a script names. */
import type { Environment } from "@wield/process"

/** Blanks separate, quotes and backslashes join; a quote that is not closed reaches to the end. */
const word = /(?:"(?:\\.|[^"\\])*(?:"|$)|'[^']*(?:'|$)|\\.|[^\s"'\\])+/gu

export interface ShebangCommand {
  /** A path, or a name that is looked for on the path. */
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  /** `NAME=value` before the command of `env`. */
  readonly environment: Environment.Variables
}

const isAssignment = (word: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*=/.test(word)

/** What `env` runs: its own options, and variables, come before it. */
const ofEnv = (words: ReadonlyArray<string>): ShebangCommand | undefined => {
  const environment: Record<string, string> = {}
  const rest = [...words]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "-S" || word === "--split-string" || word === "-i" || word === "-" || word === "--") continue
    if (word === "-u" || word === "-C") rest.shift()
    else if (word.startsWith("-S")) rest.unshift(word.slice(2))
    else if (word.startsWith("--split-string=")) rest.unshift(word.slice("--split-string=".length))
    else if (word.startsWith("-")) continue
    else if (isAssignment(word)) {
      const equals = word.indexOf("=")
      environment[word.slice(0, equals)] = word.slice(equals + 1)
    } else return { command: word, arguments: rest, environment }
  }
  return undefined
}

/** Nothing where there is no first line with a command. */
export const parseShebang = (shebang: ReadonlyArray<string> | undefined): ShebangCommand | undefined => {
  const [command, ...rest] = shebang ?? []
  if (command === undefined) return undefined
  return command === "env" || command.endsWith("/env") ? ofEnv(rest) : { command, arguments: rest, environment: {} }
}

/**
 * The words of a script's first line. The kernel hands over what follows the
 * interpreter as one argument; `env -S` takes it apart as a shell would, with
 * quotes. Both come to the same words where there are no quotes.
 */
export const shebangOf = (text: string): ReadonlyArray<string> | undefined => {
  const line = /^#!([^\r\n]*)/.exec(text)?.[1]
  const words = line === undefined ? [] : Array.from(line.matchAll(word), ([found]) => unquoted(found))
  return words.length === 0 ? undefined : words
}

const unquoted = (found: string): string =>
  found.replaceAll(/"((?:\\.|[^"\\])*)"?|'([^']*)'?|\\(.)/gu, (_, double?: string, single?: string, escaped?: string) =>
    double === undefined ? (single ?? escaped ?? "") : double.replaceAll(/\\(["\\$`])/g, "$1")
  )
