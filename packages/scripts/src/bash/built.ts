/**
 * `argc build` puts a parser of command lines into a script, between two marks,
 * and takes whatever stands between them for the line that evaluates argc when
 * it builds the script again. So does Wield: that parser is for command lines,
 * and it loses what follows an `=` in a value.
 */
const begin = /^\s*#+ ARGC-BUILD \{\s*$/
const end = /^\s*#+ ARGC-BUILD \}\s*$/

/** The script that argc built this one from. Every other line keeps its number. */
export const unbuild = (text: string): string => {
  const lines = text.split("\n")
  const first = lines.findIndex((line) => begin.test(line))
  const last = lines.findIndex((line, at) => at > first && end.test(line))
  if (first < 0 || last < 0) return text
  return lines
    .map((line, at) => (at === first ? 'eval "$(argc --argc-eval "$0" "$@")"' : at > first && at <= last ? "" : line))
    .join("\n")
}
