/**
 * The program that serves calls of Bash scripts: `runtime/bash.sh`, and how it
 * is told what to call.
 */
import { createRequire } from "node:module"
import * as Either from "effect/Either"
import type { ScriptFunction } from "../Script.js"
import { callFields } from "../bash/callFields.js"
import { encodeMessage } from "../bash/message.js"
import type { Program, ProgramCall, ProgramOptions } from "./Program.js"

// The program is evaluated rather than run: BASH_SOURCE then names nothing but the script.
const bootstrap = '{ set +x; } 2>/dev/null; IFS= read -r -d "" __wield_text <"$1" || :; eval "$__wield_text"'

const runtime = createRequire(import.meta.url).resolve("@wield/scripts/runtime/bash.sh")

/**
 * Bash has no state that calls could share, so every mode but `once` forks ahead.
 *
 * It needs Bash 4.4. There, `$0` is the first script's path in all scripts of
 * the program; from 5.0 on, each script's own.
 */
export const bashProgram = (options: ProgramOptions): Program => ({
  language: "bash",
  command: options.command,
  arguments: [...options.arguments, "-c", bootstrap, options.scripts[0]?.file ?? "bash", runtime],
  mode: options.mode === "once" ? "once" : "fork",
  // Bash itself leaves NUL characters of a script out.
  load: encodeMessage([
    options.mode === "once" ? "once" : "fork",
    isReadAhead(options) ? "1" : "",
    ...options.scripts.flatMap(({ file, text }) => [file, text.replaceAll("\0", "")])
  ]),
  encodeCall: (call) => {
    const named = findNul(call)
    return named === undefined
      ? Either.right(encodeMessage(callFields(call, findFunction(options, call)?.binding)))
      : Either.left(`${named} has a NUL character, which no Bash variable can hold`)
  }
})

// Functions of several scripts would meet.
const isReadAhead = ({ mode, scripts: [script, ...others] }: ProgramOptions): boolean =>
  mode !== "once" &&
  script !== undefined &&
  others.length === 0 &&
  script.functions.length > 0 &&
  script.functions.every(({ binding }) => binding?.definesOnly === true)

const findFunction = ({ scripts }: ProgramOptions, { entry, file }: ProgramCall): ScriptFunction | undefined =>
  scripts.find((script) => script.file === file)?.functions.find((candidate) => candidate.entry === entry)

const findNul = ({ arguments: parameters, environment }: ProgramCall): string | undefined =>
  [...Object.entries(parameters), ...Object.entries(environment)].find(([, value]) => hasNul(value))?.[0]

// In JSON text, NUL is escaped, so objects and lists of other than strings cannot have it.
const hasNul = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(hasNul) : typeof value === "string" && value.includes("\0")
