/** What commands over the tools of a project have in common. */
import { userInfo } from "node:os"
import { resolve } from "node:path"
import type * as Scope from "effect/Scope"
import type { DeferredCall } from "@wield/agent"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { CallContext } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import type * as Outcome from "@wield/core/Outcome"
import { gather, type Gathered, type Platform, type Purpose } from "../config/gather.js"
import { type Given, loadProject, type Project, requireTrust } from "../config/load.js"
import { readFile } from "../config/readFile.js"
import { codes, type ExitCode } from "../ExitCode.js"
import { Refused } from "../output/Refused.js"
import { Shell } from "../output/Shell.js"

export interface Common extends Given {
  readonly json: boolean
}

/** Who answers at this terminal, as an audit names them. A user of a container need not have a name. */
export const byUser = (): DeferredCall.By => {
  const who = Either.getOrElse(
    Either.try(() => userInfo().username),
    () => String(process.getuid?.() ?? "unknown")
  )
  return { who, way: "wield" }
}

export type Command = Effect.Effect<ExitCode, Refused, Platform>

export const openProject = (
  given: Common,
  purpose: Purpose,
  tool?: string
): Effect.Effect<Gathered & { readonly project: Project }, Refused, Platform | Scope.Scope> =>
  Effect.gen(function* () {
    const found = yield* loadProject(given)
    const project = purpose === "run" ? yield* requireTrust(found) : found
    return { ...(yield* gather(project, purpose, tool)), project }
  })

export const codeOfSources = ({ problems }: Pick<Gathered, "problems">): ExitCode =>
  problems.some(({ severity }) => severity === "error") ? codes.unusable : codes.done

export const unknownTool = (name: string, names: Iterable<string>): Refused =>
  new Refused({
    message: `There is no tool named ${JSON.stringify(name)}${NearestNames.suggestion(name, names)}. wield list shows all`,
    code: codes.rejected
  })

/** The text itself; `-` is standard input, `@path` a file. */
export const readText = (given: string): Effect.Effect<string, Refused> =>
  Effect.flatMap(Shell, ({ folder, readInput }) => {
    if (given === "-") return readInput
    return given.startsWith("@") ? readFile(resolve(folder, given.slice(1))) : Effect.succeed(given)
  })

/** Values of `key=value`: JSON where the value reads as JSON, otherwise text. */
export const readPairs = (pairs: ReadonlyArray<string>): Effect.Effect<CallContext.Values, Refused> =>
  Effect.gen(function* () {
    const values = new Map<string, Json.Json>()
    for (const pair of pairs) {
      const [key, text] = yield* splitPair(pair)
      if (values.has(key)) return yield* givenTwice(key)
      values.set(key, jsonOrText(text))
    }
    return Object.fromEntries(values)
  })

/** Of two values, one would be lost in silence. */
export const givenTwice = (key: string): Refused => Refused.usage(`${JSON.stringify(key)} is given twice: give it once`)

export const splitPair = (pair: string): Effect.Effect<readonly [key: string, text: string], Refused> => {
  const at = pair.indexOf("=")
  return at < 1
    ? Effect.fail(Refused.usage(`Expected key=value, not ${JSON.stringify(pair)}`))
    : Effect.succeed([pair.slice(0, at), pair.slice(at + 1)])
}

export const jsonOrText = (text: string): Json.Json => {
  try {
    return Json.parse(text)
  } catch {
    return text
  }
}

/** Of content, such as an MCP server's, its parts. */
export const resultOf = (outcome: Outcome.Success | Outcome.Failure): unknown => {
  const value = outcome._tag === "Success" ? outcome.result : outcome.failure
  return Content.Answer.is(value) ? value.parts : outcome.encoded
}
