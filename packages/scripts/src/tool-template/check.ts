/**
 * Whether what a model wrote is a tool file.
 */
import * as Effect from "effect/Effect"
import { orRun, reader } from "../function-file/read.js"
import type { FunctionFile } from "../FunctionFile.js"
import * as Introspection from "../Introspection.js"
import { isError, type Place, type Problem } from "@wield/core/Problem"
import type { Script } from "../Script.js"
import { readAnswer } from "./answer.js"
import { type Kind, namings } from "./Kind.js"
import { schemaProblems } from "./schemas.js"

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
    const stem = name ?? read.name
    const file = `${stem ?? "tool"}${namings[kind].extension}`
    const names = new Set(taken)
    const unnamed = nameProblems(file, stem, kind)
    const accepted = yield* Effect.mapError(
      kind === "function-file" ? functionFile(file, text) : script(file, text),
      (problems) => [...unnamed, ...problems].map(forAuthor)
    )
    const collisions = toolsIn(accepted).flatMap((tool) => (names.has(tool.name) ? [collision(file, tool)] : []))
    const problems = [...unnamed, ...accepted.warnings, ...collisions].map(forAuthor)
    if (problems.some(isError)) return yield* Effect.fail(problems)
    return { ...accepted, warnings: problems }
  })

/**
 * What is a warning of a file that is there, and loads, is a mistake of one that
 * is written anew.
 */
const forAuthor = (problem: Problem): Problem => ({
  ...problem,
  severity: mistakes.has(problem.rule) ? "error" : problem.severity,
  // There is no executor that its author could take.
  message: problem.rule === "not-literal" ? problem.message.replace(orRun, "") : problem.message
})

const mistakes: ReadonlySet<string> = new Set([
  "execute-result",
  "function-name",
  "missing-description",
  "missing-import",
  "missing-type",
  "no-branch",
  "parameters-key",
  "required",
  "unknown-tag",
  "unknown-type"
])

const nameProblems = (file: string, stem: string | undefined, kind: Kind): ReadonlyArray<Problem> => {
  const wrong = (message: string): ReadonlyArray<Problem> => [
    { severity: "error", rule: "file-name", message, file, place: undefined, subject: undefined }
  ]
  if (stem === undefined) {
    // A file of functions has their names; a script has only its own.
    return kind === "function-file"
      ? []
      : wrong(
          `The answer does not name the file; begin it with a line such as \`File: do_something${namings[kind].extension}\``
        )
  }
  if (stem.startsWith("_") || stem.startsWith(".")) {
    return wrong(
      `Files such as ${JSON.stringify(file)} are for others to import, and no tools; begin the name with a letter`
    )
  }
  return stem === "tools" && kind !== "function-file"
    ? wrong(`A file ${JSON.stringify(file)} has all tools of an agent; name it after what the tool does`)
    : []
}

const functionFile = (file: string, text: string): Effect.Effect<Accepted, ReadonlyArray<Problem>> =>
  Effect.flatMap(reader, (read) => read({ file, text }, undefined)).pipe(
    Effect.mapError(({ problems }) => problems),
    Effect.flatMap((content): Effect.Effect<Accepted, ReadonlyArray<Problem>> =>
      content.isEnabled && content.tools.length > 0
        ? Effect.succeed({
            kind: "function-file",
            file,
            text,
            content,
            warnings: [...content.problems, ...content.tools.flatMap((tool) => schemaProblems(file, tool))]
          })
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
