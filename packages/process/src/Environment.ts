/** The part of this process's environment that a child may see. */

/** @category models */
export type Variables = { readonly [name: string]: string }

/**
 * The variables that programs need to find themselves, each other, and the
 * user's language. No secret is among them.
 *
 * @category models
 */
export const basic: ReadonlyArray<string> = [
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "TZ",
  "TMPDIR",
  "USER",
  "SHELL",
  "TERM",
  // Windows starts no program without this one.
  "SystemRoot"
]

/**
 * The `basic` variables and those that `pass` names; `AWS_*` stands for all
 * that begin with `AWS_`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Environment } from "@wield/process"
 *
 * const environment = { PATH: "/bin", GIT_DIR: ".git", API_KEY: "secret" }
 *
 * assert.deepStrictEqual(Environment.inherit(environment, ["GIT_*"]), { PATH: "/bin", GIT_DIR: ".git" })
 * ```
 *
 * @category constructors
 */
export const inherit = (
  environment: { readonly [name: string]: string | undefined },
  pass: ReadonlyArray<string> = []
): Variables => {
  const patterns = [...basic, ...pass]
  const isPassed = (name: string): boolean =>
    patterns.some((pattern) => (pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern))
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> =>
      value !== undefined && isPassed(name) ? [[name, value]] : []
    )
  )
}
