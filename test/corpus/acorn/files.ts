/** Acorn's own tools and configurations: all load, and the linter finds what is wrong with one. */
import { FetchHttpClient } from "@effect/platform"
import { GraphQlExecutor, Lint, Manifest, RestExecutor } from "@wield/manifest"
import { Effect, Either } from "effect"
import { join } from "node:path"
import { filesIn, readText } from "../folder.js"
import { type Checked, tally } from "../manifest/Checked.js"

/** A path with `{slip_id}`, whose parameter is named `slid_id`: Acorn shipped it so. */
const planted = {
  file: "advice.tools.json",
  errors: ["advice.tools.json:59:24: error placeholder-without-parameter"]
}

/** The configuration beside each file of tools; Acorn has several for one. */
const isConfigurationOf = (configuration: string, tools: string): boolean =>
  configuration.split(".")[0] === tools.split(/[.-]/)[0]

/** @param folder The corpus's `acorn/tools`. */
export const checkFiles = async (folder: string): Promise<Checked> => {
  const { check, failures, passed } = tally()
  const names = filesIn(folder, ".json")
  const text = (name: string): string => readText(join(folder, name)) ?? ""
  // Acorn keeps what a manifest embeds in a folder of its own.
  const files = Object.fromEntries(names.map((name) => [`ui/${name}`, text(name)]))
  const manifests = new Map<string, Manifest.Manifest>()
  for (const file of names) {
    const manifest = Manifest.parse(text(file), { file, files })
    check(Either.isRight(manifest), () => (Either.isLeft(manifest) ? manifest.left.message : ""))
    if (Either.isRight(manifest)) manifests.set(file, manifest.right)
    const problems = await Effect.runPromise(Lint.lint(text(file), { file, files, factories: [mock] }))
    const errors = problems.filter(({ severity }) => severity === "error").map(Lint.toLine)
    const expected = file === planted.file ? planted.errors : []
    const isAsExpected =
      errors.length === expected.length && expected.every((start, index) => errors[index]?.startsWith(start))
    check(
      isAsExpected,
      () => `${file}: expected the errors ${JSON.stringify(expected)}, found ${JSON.stringify(errors)}`
    )
  }
  let toolsets = 0
  for (const [name, configuration] of manifests) {
    for (const [file, tools] of manifests) {
      if (!name.endsWith(".config.json") || !file.endsWith(".tools.json") || !isConfigurationOf(name, file)) continue
      toolsets++
      const ended = await Effect.runPromise(toolsOf(configuration, tools))
      const expected = file === planted.file ? "slip_id" : "tools"
      check(ended.includes(expected), () => `${name} with ${file}: expected ${expected}, found ${ended}`)
    }
  }
  const entries = [...manifests.values()].reduce((sum, manifest) => sum + manifest.entries.length, 0)
  return {
    rows: [[`Acorn's ${names.length} files, ${toolsets} toolsets`, entries, "-", "-", "-", failures.length]],
    notes: [`Acorn's defect is found: ${planted.errors.join(", ")}.`],
    passed: passed(),
    failures,
    manifests
  }
}

/** How binding them ends: with tools, or with an error's message. */
const toolsOf = (configuration: Manifest.Manifest, tools: Manifest.Manifest): Effect.Effect<string> =>
  Effect.gen(function* () {
    const manifest = yield* Manifest.combine(configuration, tools)
    yield* Manifest.toToolset(manifest, {
      factories: [RestExecutor.factory, GraphQlExecutor.factory, mock],
      handlers: manifest.entries.some(({ _tag }) => _tag === "Local")
        ? { CurrentTime: { description: "The time", handle: () => Effect.succeed("noon") } }
        : {}
    })
    return "tools"
  }).pipe(
    Effect.catchAll((error) => Effect.succeed(error.message)),
    Effect.provide(FetchHttpClient.layer)
  )

/** Acorn's own tests stand in for the API of one of the configurations. */
const mock = { ...GraphQlExecutor.factory, types: ["mock"] }
