/** The program that serves calls of Bash scripts: `runtime/bash.sh`, and how it learns what to call. */
import { createRequire } from "node:module"
import * as Json from "@wield/core/Json"
import * as Either from "effect/Either"
import type { ScriptFunction } from "../Script.js"
import type { Binding } from "./Binding.js"
import { unbuild } from "./built.js"
import { callFields } from "./callFields.js"
import type { Program, ProgramCall, ProgramOptions } from "../worker/Program.js"

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
  command: options.command,
  arguments: [...options.arguments, "-c", bootstrap, options.scripts[0]?.file ?? "bash", runtime],
  mode: options.mode === "once" ? "once" : "fork",
  // Bash itself leaves NUL characters of a script out.
  load: encodeMessage([
    options.mode === "once" ? "once" : "fork",
    isReadAhead(options) ? "1" : "",
    ...options.scripts.flatMap(({ file, text }) => [file, unbuild(text.replaceAll("\0", ""))])
  ]),
  encodeCall: (call) => {
    const binding = findFunction(options, call)?.binding
    const unsayable = findUnsayable(call, binding)
    return unsayable === undefined ? Either.right(encodeMessage(callFields(call, binding))) : Either.left(unsayable)
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

/** What of a call no Bash variable can hold. */
const findUnsayable = (
  { arguments: parameters, environment }: ProgramCall,
  binding: Binding | undefined
): string | undefined => {
  const isMap = (name: string) => binding?.parameters.some((one) => one.name === name && one.kind === "map") === true
  for (const [name, value] of [...Object.entries(parameters), ...Object.entries(environment)]) {
    const fault = faultOf(value) ?? (isMap(name) ? faultOfMap(value) : undefined)
    if (fault !== undefined) return `${name} has ${fault}`
  }
  return undefined
}

const loneSurrogate = /[\ud800-\udfff]/u

// Objects, and what in lists is no text, are handed over as JSON texts, in which all of this is escaped.
const faultOf = (value: Json.Json | undefined): string | undefined => {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "string" && faultOf(item) !== undefined) return faultOf(item)
  }
  if (typeof value !== "string") return undefined
  if (value.includes("\0")) return "a NUL character, which no Bash variable can hold"
  return loneSurrogate.test(value) ? "half of a surrogate pair, which no UTF-8 text can hold" : undefined
}

const faultOfMap = (value: Json.Json | undefined): string | undefined => {
  if (!Json.isObject(value)) return undefined
  for (const [key, item] of Object.entries(value)) {
    if (key === "") return "an empty key, which no Bash array can have"
    const fault = faultOf(key) ?? (typeof item === "string" ? faultOf(item) : undefined)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** A field that repeats another one: `prefix`, and what stands in `field` after its first `cut` bytes. */
interface Repetition {
  readonly field: number
  readonly cut: number
  readonly prefix: string
}

export type Field = string | Repetition

// What word splitting hands on as it is in every locale; longer fields are read on their own.
const isInline = (field: string): boolean => field.length <= 4096 && /^[ -~\t\n]*$/.test(field)

/** `runtime/bash.sh` describes its messages. */
const encodeMessage = (fields: ReadonlyArray<Field>): Uint8Array => {
  const apart: Array<string> = []
  const contents: Array<Uint8Array> = []
  const inline: Array<string> = []
  fields.forEach((field, position) => {
    const index = position + 1
    if (typeof field !== "string") {
      apart.push(`${index} =${field.field + 1} ${field.cut} ${field.prefix}`)
      inline.push("")
    } else if (isInline(field)) {
      inline.push(field)
    } else {
      const content = Buffer.from(field, "utf8")
      apart.push(`${index} ${content.length}`)
      contents.push(content)
      inline.push("")
    }
  })
  const message = Buffer.from([apart.join("\x1d"), ...inline, ""].join("\x1e"), "latin1")
  return Buffer.concat([Buffer.from(String(message.length).padStart(10, "0")), message, ...contents])
}
