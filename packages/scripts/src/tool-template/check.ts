/** Whether what a model wrote is a tool file. */
import * as Effect from "effect/Effect"
import { isError, type Problem } from "@wield/core/Problem"
import * as Json from "@wield/core/Json"
import { fileError, fileWarning } from "../folder/problem.js"
import { orRun, reader } from "../function-file/read.js"
import type { FunctionTool } from "../FunctionFile.js"
import * as Introspection from "../Introspection.js"
import type { ScriptFunction } from "../Script.js"
import type { Accepted, Checking, Kind } from "../ToolFileTemplate.js"
import { isRecord } from "../function-file/Located.js"
import { namesTo } from "../syntax/names.js"

interface Naming {
  readonly extension: string
  /** How a code block is marked. */
  readonly mark: string
  readonly title: string
}

export const namings: { readonly [kind in Kind]: Naming } = {
  "function-file": { extension: ".py", mark: "python", title: "a Python file of functions" },
  python: { extension: ".py", mark: "python", title: "a Python script" },
  bash: { extension: ".sh", mark: "bash", title: "a Bash script" },
  typescript: { extension: ".ts", mark: "typescript", title: "a TypeScript module" },
  javascript: { extension: ".mjs", mark: "javascript", title: "a JavaScript module" }
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

/** What is a warning of a file that is there, and loads, is a mistake of one that is new. */
const forAuthor = (problem: Problem): Problem => ({
  ...problem,
  severity: mistakes.has(problem.rule) ? "error" : problem.severity,
  // There is no executor that its author could take.
  message: problem.rule === "not-literal" ? problem.message.replace(orRun, "") : problem.message
})

const mistakes: ReadonlySet<string> = new Set(
  (
    "execute-result function-name missing-description missing-import missing-type no-branch parameters-key required " +
    "unknown-tag unknown-type"
  ).split(" ")
)

const nameProblems = (file: string, stem: string | undefined, kind: Kind): ReadonlyArray<Problem> => {
  const wrong = (message: string): ReadonlyArray<Problem> => [fileError(file, "file-name", message)]
  if (stem === undefined) {
    // A file of functions has their names; a script has only its own.
    if (kind === "function-file") return []
    const line = `\`File: do_something${namings[kind].extension}\``
    return wrong(`The answer does not name the file; begin it with a line such as ${line}`)
  }
  const name = JSON.stringify(file)
  if (stem.startsWith("_") || stem.startsWith(".")) {
    return wrong(`Files such as ${name} are for others to import, and no tools; begin the name with a letter`)
  }
  const isAgent = stem === "tools" && kind !== "function-file"
  return isAgent ? wrong(`A file ${name} has all tools of an agent; name it after what the tool does`) : []
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

const toolsIn = (accepted: Accepted): ReadonlyArray<ScriptFunction | FunctionTool> =>
  accepted.kind === "script" ? accepted.content.functions : accepted.content.tools

const collision = (file: string, { name, place }: ScriptFunction | FunctionTool): Problem => {
  const message = `Another tool has the name ${JSON.stringify(name)} already; take another`
  return fileError(file, "tool-name-collision", message, { place, subject: name })
}

const nothing = (file: string, isEnabled: boolean): Problem => {
  const message = isEnabled
    ? "The file offers no function: TOOLS is empty, or AVAILABLE_FUNCTIONS names none of it"
    : "The file is turned off; write ENABLED = True"
  return fileError(file, "no-tools", message)
}

/** The file in what a model has answered: the code block, where there is one, and the name, without folder and extension. */
const readAnswer = (answer: string) => {
  // What a model has thought before it answers is no part of the answer.
  const lines = answer.replace(/^\s*<think(?:ing)?>[^]*?<\/think(?:ing)?>/i, "").split(/\r\n|\r|\n/)
  const blocks = blocksOf(lines)
  // Where there are several, the longest is the file; the others show how it is used.
  const [block] = blocks.toSorted((left, right) => right.to - right.from - (left.to - left.from))
  if (block === undefined) return { name: undefined, text: answer }
  const outside = lines.filter((_, index) => blocks.every(({ from, to }) => index < from || index >= to))
  // Some models write the name into the file, and not always as a comment.
  const first = lines[block.from] ?? ""
  const from = /^File:/i.test(first) ? block.from + 1 : block.from
  const named = [...outside, first].flatMap((line) => nameIn(line) ?? [])
  return { name: named[0], text: `${lines.slice(from, block.to).join("\n")}\n` }
}

/** `File: folder/name.py`, with whatever Markdown stands around it; a line that is a file's name alone. */
const nameIn = (line: string): string | undefined => {
  const found =
    /^\W*File(?:name)?\W+(.*)$/i.exec(line)?.[1] ?? /^\W*([\w./-]+\.(?:py|sh|bash|[mc]?[jt]s))\W*$/.exec(line)?.[1]
  const name = found?.replace(/\W+$/, "").split(/[/\\]/).at(-1)
  return name === undefined ? undefined : /^\.*[^.]*/.exec(name)?.[0].trim()
}

interface Block {
  readonly from: number
  readonly to: number
}

const blocksOf = (lines: ReadonlyArray<string>): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let open: { readonly fence: string; readonly from: number } | undefined
  for (const [index, line] of lines.entries()) {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined) continue
    if (open === undefined) open = { fence, from: index + 1 }
    else if (fence.startsWith(open.fence) && line.trim() === fence) {
      blocks.push({ from: open.from, to: index })
      open = undefined
    }
  }
  // An answer that was cut off has no end.
  if (open !== undefined) blocks.push({ from: open.from, to: lines.length })
  return blocks
}

/**
 * What the schemas of a new function file have to be like. Files that are there already are read with more patience;
 * but APIs of models refuse a request for one schema of it that they do not know.
 */
const schemaProblems = (file: string, tool: FunctionTool): ReadonlyArray<Problem> => {
  const at = { place: tool.place, subject: tool.name }
  const parameters = Object.entries(partOf(partOf(partOf(tool.entry, "function"), "parameters"), "properties"))
  return [
    ...parameters.flatMap(([name, schema]) => {
      const where = `The parameter ${JSON.stringify(name)} of ${JSON.stringify(tool.name)}`
      return [
        ...faultsOf(schema).map((fault) => fileError(file, "parameter-schema", `${where} ${fault}`, at)),
        ...(isRecord(schema) && typeof schema["description"] !== "string"
          ? [fileWarning(file, "parameter-description", `${where} has no "description"; say in it what it is`, at)]
          : [])
      ]
    }),
    ...["network", "is_local"]
      .filter((key) => tool.entry[key] === undefined)
      .map((key) => fileWarning(file, "unstated-fact", `${tool.name} does not say "${key}": True or False`, at))
  ]
}

const partOf = (whole: Json.JsonObject, key: string): Json.JsonObject => {
  const part = whole[key]
  return part !== undefined && isRecord(part) ? part : {}
}

const types = ["string", "integer", "number", "boolean", "array", "object", "null"]

/** What other languages call them. */
const meant = namesTo(
  ["str text", "string"],
  ["int", "integer"],
  ["float double", "number"],
  ["bool", "boolean"],
  ["list tuple", "array"],
  ["dict", "object"],
  ["any", "string"]
)

/** Of these, a schema without a `type` says what it takes. */
const saying = ["enum", "const", "anyOf", "oneOf", "allOf", "$ref"]

const faultsOf = (schema: Json.Json): ReadonlyArray<string> => {
  if (!isRecord(schema)) return []
  const { items, properties, required, type } = schema
  const given = type === undefined ? [] : Json.isArray(type) ? type : [type]
  const unknown = given.find((one) => typeof one !== "string" || !types.includes(one))
  const isMissing = type === undefined && !saying.some((key) => schema[key] !== undefined)
  return [
    ...(isMissing ? [`has no "type"; it is one of ${listed}`] : []),
    ...(unknown === undefined ? [] : [`has a "type" that JSON Schema has not: ${instead(unknown)}`]),
    ...(given.includes("array") && items === undefined
      ? ['is an array without "items"; say what is in it, such as "items": {"type": "string"}']
      : []),
    ...(typeof required === "boolean"
      ? ['has "required" in it; name what is required in the list "required" beside "properties"']
      : []),
    ...(items === undefined ? [] : faultsOf(items).map((fault) => `has "items" of which each ${fault}`)),
    ...(properties !== undefined && isRecord(properties)
      ? Object.entries(properties).flatMap(([name, inner]) =>
          faultsOf(inner).map((fault) => `has a property ${JSON.stringify(name)} that ${fault}`)
        )
      : [])
  ]
}

const listed = types.map((name) => JSON.stringify(name)).join(", ")

const instead = (type: Json.Json): string => {
  const name = typeof type === "string" ? meant.get(type.toLowerCase()) : undefined
  return `${JSON.stringify(type)}; write ${name === undefined ? `one of ${listed}` : JSON.stringify(name)}`
}
