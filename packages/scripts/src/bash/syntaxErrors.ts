/**
 * Where a file is no Bash.
 */
import { execFile } from "node:child_process"
import * as Effect from "effect/Effect"
import type { Problem } from "@wield/core/Problem"
import { placeOf } from "../syntax/placeOf.js"
import type { Node } from "../syntax/treeSitter.js"
import type { Source } from "../syntax/Source.js"

/**
 * The grammar does not know all of Bash, so what it does not understand is no
 * mistake until `bash -n`, which reads a script without running it, says so,
 * too. Without a Bash, the grammar is believed.
 */
export const syntaxErrorOf = (root: Node, { file, text }: Source): Effect.Effect<Problem | undefined> => {
  const found = root.hasError ? firstError(root) : undefined
  if (found === undefined) return Effect.succeed(undefined)
  const what = found.isMissing ? `expected ${JSON.stringify(found.type)}` : `unexpected ${excerptOf(found)}`
  const problem = (message: string, place: Problem["place"]): Problem => ({
    severity: "error",
    rule: "syntax-error",
    message: `${message}; the file is no Bash and cannot be run`,
    file,
    place,
    subject: undefined
  })
  return Effect.map(checkWithBash(text), (said) => {
    if (said === "correct") return undefined
    const place = placeOf(found)
    const [, line, message] = /line (\d+): (.*)/.exec(said) ?? []
    if (line === undefined || message === undefined) return problem(capital(what), place)
    // Bash tells the line, the grammar the column, where both mean the same.
    return problem(capital(message), Number(line) === place.line ? place : { line: Number(line), column: 1 })
  })
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const excerptOf = (node: Node): string => `\`${(/^[^\n]{0,40}/.exec(node.text)?.[0] ?? "").trim()}\``

const firstError = (node: Node): Node | undefined => {
  if (node.isError || node.isMissing) return node
  for (const child of node.children) {
    const found = child?.hasError === true || child?.isMissing === true ? firstError(child) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** `correct`, or what Bash says. Patterns that scripts allow themselves by `shopt` are allowed. */
const checkWithBash = (text: string): Effect.Effect<string> =>
  Effect.async<string>((resume) => {
    const child = execFile(
      "bash",
      ["--noprofile", "--norc", "-O", "extglob", "-n"],
      { env: { PATH: process.env["PATH"], LC_ALL: "C" }, timeout: 10_000 },
      (error, _, standardError) => resume(Effect.succeed(error === null ? "correct" : standardError))
    )
    // Bash stops reading where it has had enough.
    child.stdin?.on("error", () => undefined)
    child.stdin?.end(text)
    return Effect.sync(() => child.kill())
  })
