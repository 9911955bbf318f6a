/** Lines of a stack trace tell where programs lie on a machine. */

/** Without the lines of a trace, as runtimes write them: `    at name (file:1:2)`. */
export const withoutFrames = (text: string): string =>
  text.includes("\n")
    ? text
        .split("\n")
        .filter((line, index) => index === 0 || !/^\s+at .*(?::\d+:\d+\)?|\(native\)|<anonymous>\)?)$/.test(line))
        .join("\n")
    : text
