/**
 * Whether what a model wrote is a tool file.
 */
import * as Effect from "effect/Effect"
import { reader } from "../function-file/read.js"
import type { FunctionFile } from "../function-file/model.js"
import { stemOf } from "../folder/languages.js"
import * as Introspection from "../Introspection.js"
import { isError, type Place, type Problem } from "../Problem.js"
import type { Script } from "../Script.js"
import { readAnswer } from "./answer.js"
import { type Kind, namings } from "./Kind.js"

interface File {
  /** Its name, with the extension. */
  readonly file: string
  readonly text: string
  readonly warnings: ReadonlyArray<Problem>
}

export type Accepted =
  | (File & { readonly kind: "function-file"; readonly content: FunctionFile })
  | (File & { readonly kind: "script"; readonly content: Script })

export interface Checking {
  readonly kind: Kind
  /** Names that other tools have already. */
  readonly taken?: Iterable<string> | undefined
  /** The name of the file without its extension; the one that the model gave it unless given. */
  readonly name?: string | undefined
}

export const check = (
  answer: string,
  { kind, name, taken = [] }: Checking
): Effect.Effect<Accepted, ReadonlyArray<Problem>> =>
  Effect.gen(function* () {
    const read = readAnswer(answer)
    const { text } = read
    const file = `${name ?? stemOf(read.name ?? "tool")}${namings[kind].extension}`
    const names = new Set(taken)
    const accepted = yield* kind === "function-file" ? functionFile(file, text) : script(file, text)
    const collisions = toolsIn(accepted).flatMap((tool) => (names.has(tool.name) ? [collision(file, tool)] : []))
    const problems = [...accepted.content.problems, ...collisions]
    if (problems.some(isError)) return yield* Effect.fail(problems)
    return accepted
  })

const functionFile = (file: string, text: string): Effect.Effect<Accepted, ReadonlyArray<Problem>> =>
  Effect.flatMap(reader, (read) => read({ file, text }, undefined)).pipe(
    Effect.mapError(({ problems }) => problems),
    Effect.flatMap((content): Effect.Effect<Accepted, ReadonlyArray<Problem>> =>
      content.isEnabled && content.tools.length > 0
        ? Effect.succeed({ kind: "function-file", file, text, content, warnings: content.problems })
        : Effect.fail([nothing(file, content.isEnabled)])
    )
  )

const script = (file: string, text: string): Effect.Effect<Accepted, ReadonlyArray<Problem>> =>
  Effect.mapBoth(Introspection.introspect({ file, text, kind: "tool" }), {
    onFailure: ({ problems }) => problems,
    onSuccess: (content): Accepted => ({ kind: "script", file, text, content, warnings: content.problems })
  })

const toolsIn = (accepted: Accepted): ReadonlyArray<{ readonly name: string; readonly place: Place | undefined }> =>
  accepted.kind === "script" ? accepted.content.functions : accepted.content.tools

const collision = (
  file: string,
  { name, place }: { readonly name: string; readonly place: Place | undefined }
): Problem => ({
  severity: "error",
  rule: "tool-name-collision",
  message: `Another tool has the name ${JSON.stringify(name)} already; take another`,
  file,
  place,
  subject: name
})

const nothing = (file: string, isEnabled: boolean): Problem => ({
  severity: "error",
  rule: "no-tools",
  message: isEnabled
    ? "The file offers no function: TOOLS is empty, or AVAILABLE_FUNCTIONS names none of it"
    : "The file is turned off; write ENABLED = True",
  file,
  place: undefined,
  subject: undefined
})
