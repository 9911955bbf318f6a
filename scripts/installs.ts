/**
 * Tries every install line of the documents as it is written, in an empty folder: a registry on loopback has the
 * packages as they would be published, and passes everything else on. Then Node imports what was installed, and runs
 * the examples of the page that the lines are of.
 */
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { availableParallelism } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { transform } from "esbuild"
import { extract } from "./documentation/extract.js"
import { mapConcurrently } from "./map-concurrently.js"
import { execute, type Tarball } from "./pack.js"
import { runCommand } from "./run-command.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

interface Line {
  readonly page: string
  readonly number: number
  readonly isDevelopment: boolean
  readonly packages: ReadonlyArray<string>
}

const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`),
  "skills/wield/SKILL.md"
]

/** A line of a fence: what stands in a sentence is not for copying. Tarballs are those of `pnpm tarballs`. */
const linesOf = (page: string): ReadonlyArray<Line> =>
  readFileSync(join(root, page), "utf8")
    .split("\n")
    .flatMap((text, index) => {
      const [command = ""] = text.split(" #")
      const [, flag, names] = /^\s*npm (?:install|add) (--save-dev )?([^-].*)$/.exec(command) ?? []
      return names === undefined || names.includes(".tgz")
        ? []
        : [{ page, number: index + 1, isDevelopment: flag !== undefined, packages: names.trim().split(/\s+/) }]
    })

/** The packages that each install line of a page names. */
export const installLines = (page: string): ReadonlyArray<ReadonlyArray<string>> =>
  linesOf(page).map(({ packages }) => packages)

/** Lines that follow one another are for one folder. */
const groupsOf = (lines: ReadonlyArray<Line>): ReadonlyArray<ReadonlyArray<Line>> => {
  const groups: Array<Array<Line>> = []
  for (const line of lines) {
    const last = groups.at(-1)
    if (last?.[0]?.page === line.page && last.at(-1)!.number === line.number - 1) last.push(line)
    else groups.push([line])
  }
  return groups
}

/** A registry on loopback that has the packages as they would be published, and passes everything else on. */
export const serveRegistry = async (tarballs: ReadonlyArray<Tarball>) => {
  const upstream = (await execute("npm", ["config", "get", "registry"])).trim().split("\n").at(-1)!
  const own = new Map(tarballs.map((one) => [one.name, one]))
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/").slice(1)
    const local = `http://${request.headers.host}`
    const sent = own.has(path)
      ? sendManifest(response, own.get(path)!, local)
      : path.startsWith("-/own/")
        ? sendTarball(response, own.get(path.slice("-/own/".length).replace(/\.tgz$/, ""))!)
        : passOn(response, new URL(request.url!.slice(1), upstream), request.headers.accept)
    sent.catch((error: unknown) => response.writeHead(502).end(String(error)))
  })
  return new Promise<{ readonly url: string; readonly close: () => void }>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resolve({ url: `http://127.0.0.1:${port}/`, close: () => void server.close() })
    })
  })
}

const sendManifest = async (response: ServerResponse, { name, tarball }: Tarball, local: string): Promise<void> => {
  const unpacked = await execute("tar", ["-xzOf", tarball, "package/package.json"])
  const manifest = JSON.parse(unpacked) as { readonly version: string }
  const integrity = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`
  const dist = { tarball: `${local}/-/own/${name}.tgz`, integrity }
  const document = {
    name,
    "dist-tags": { latest: manifest.version },
    versions: { [manifest.version]: { ...manifest, dist } },
    // Yarn leaves out what was published within the last days, or at an unknown time.
    time: { [manifest.version]: "2026-01-01T00:00:00.000Z" }
  }
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify(document))
}

const sendTarball = async (response: ServerResponse, { tarball }: Tarball): Promise<void> => {
  response.end(readFileSync(tarball))
}

const passOn = async (response: ServerResponse, url: URL, accept = "*/*"): Promise<void> => {
  const answer = await fetch(url, { headers: { accept } })
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" })
  response.end(Buffer.from(await answer.arrayBuffer()))
}

/** Packages that are imported by their modules only. */
const hasNoRoot = new Set(["@wield/cli", "@wield/interop"])

/** The pages whose examples run with what the lines of a page install. README leads to the guide for its second example. */
const examplesBy = (page: string): ReadonlyArray<string> => {
  if (page === "docs/getting-started.md") return [page, "README.md"]
  return /^(?:packages|skills)\//.test(page) ? [page] : []
}

/** Each as its reader would save and run it, in the folder that the lines were typed in. */
const runExamples = async (
  page: string,
  options: { readonly folder: string; readonly node: readonly [string, ...ReadonlyArray<string>] }
): Promise<string | undefined> => {
  const { folder, node } = options
  const [program, ...before] = node
  const { modules } = extract({ path: page, text: readFileSync(join(root, page), "utf8") })
  for (const { code, isRun, line } of modules) {
    if (!isRun) continue
    const { code: script } = await transform(code, { loader: "ts", format: "esm", target: "node20" })
    const name = `example-${line}.mjs`
    writeFileSync(join(folder, name), script)
    const result = await runCommand(program, [...before, name], { cwd: folder })
    if (!result.succeeded) return `the example at ${page}:${line}: ${result.ending}\n${result.output}`
  }
  return undefined
}

const yarn: readonly [string, ...ReadonlyArray<string>] = ["npx", "-y", "@yarnpkg/cli-dist@4.18.1"]

/** What each package manager is called with, and how it learns of the registry. */
const managers = {
  npm: { command: ["npm"], add: ["install", "--no-audit", "--no-fund", "--prefer-offline"], development: "--save-dev" },
  pnpm: { command: ["pnpm"], add: ["add", "--ignore-workspace", "--ignore-scripts"], development: "--save-dev" },
  yarn: { command: yarn, add: ["add"], development: "--dev" },
  "yarn-pnp": { command: yarn, add: ["add"], development: "--dev" },
  bun: { command: ["npx", "-y", "bun@1.4.5"], add: ["add"], development: "--dev" }
}

type Manager = keyof typeof managers

/** Yarn installs no peers by itself: the guides name these for it. */
const peersFor: ReadonlyArray<readonly [name: RegExp, peers: ReadonlyArray<string>]> = [
  [/^@effect\/ai(?:@|$)/, ["@effect/platform", "@effect/experimental", "@effect/rpc"]],
  [
    /^@effect\/platform-node(?:@|$)/,
    ["@effect/cluster", "@effect/experimental", "@effect/rpc", "@effect/sql", "@effect/workflow"]
  ]
]

const nameOf = (named: string): string => named.replace(/(?<=.)@.*$/, "")

const withPeers = (named: ReadonlyArray<string>): ReadonlyArray<string> => {
  const peers = peersFor.flatMap(([name, its]) => (named.some((one) => name.test(one)) ? its : []))
  const own = new Set(named.map(nameOf))
  return [...named, ...new Set(peers.filter((one) => !own.has(one)))]
}

const tryLines = async (
  manager: Manager,
  lines: ReadonlyArray<Line>,
  options: { readonly folder: string; readonly registry: string; readonly isResolvedOnly: boolean }
): Promise<string | undefined> => {
  const { folder, isResolvedOnly, registry } = options
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({
      name: "consumer",
      private: true,
      type: "module",
      // Yarn resolves the optional packages of every platform, and a mirror may lack those of the newest versions.
      ...(manager.startsWith("yarn") ? { resolutions: { "msgpackr-extract": "3.0.4", rollup: "4.67.4" } } : {})
    })
  )
  writeFileSync(join(folder, ".npmrc"), `registry=${registry}\n`)
  writeFileSync(
    join(folder, ".yarnrc.yml"),
    `npmRegistryServer: "${registry}"\nunsafeHttpWhitelist: ["127.0.0.1"]\nenableTelemetry: false\nnodeLinker: ${manager === "yarn" ? "node-modules" : "pnp"}\n`
  )
  // Yarn takes the folder for a part of the project that a folder above it may be.
  if (manager.startsWith("yarn")) writeFileSync(join(folder, "yarn.lock"), "")
  writeFileSync(join(folder, "bunfig.toml"), `[install]\nregistry = "${registry}"\n`)
  const env = { ...process.env, npm_config_registry: registry, CI: "1", YARN_ENABLE_IMMUTABLE_INSTALLS: "false" }
  const { add, command, development } = managers[manager]
  for (const { isDevelopment, packages: named } of lines) {
    const [program = "", ...before] = command
    const packages = manager.startsWith("yarn") ? withPeers(named) : named
    const resolving = isResolvedOnly ? ["--package-lock-only"] : []
    const given = [...before, ...add, ...resolving, ...(isDevelopment ? [development] : []), ...packages]
    const result = await runCommand(program, given, { cwd: folder, env })
    if (!result.succeeded) return `${result.ending}\n${result.output}`
  }
  const isOn4 = lines.some(({ packages }) => packages.includes("effect@4"))
  if (isResolvedOnly) return resolvedWrongly(join(folder, "package-lock.json"), isOn4 ? "4." : "3.")
  const names = lines
    .flatMap(({ packages }) => packages)
    .filter((name) => /^(@wield\/|wield$|@effect\/ai$)/.test(name) && !hasNoRoot.has(name))
  const program = names.map((name) => `await import(${JSON.stringify(name)})`).join("\n")
  writeFileSync(join(folder, "imports.mjs"), program)
  const node = nodeOf(manager)
  const [start, ...before] = node
  const result = await runCommand(start, [...before, "imports.mjs"], { cwd: folder, env })
  if (!result.succeeded) return `importing ${names.join(", ")}: ${result.ending}\n${result.output}`
  for (const page of examplesBy(lines[0]?.page ?? "")) {
    const problem = await runExamples(page, { folder, node })
    if (problem !== undefined) return problem
  }
  return undefined
}

const nodeOf = (manager: Manager): readonly [string, ...ReadonlyArray<string>] =>
  manager.startsWith("yarn") ? [...yarn, "node"] : [process.execPath]

/** Two copies of effect do not know each other's values. */
const resolvedWrongly = (lockfile: string, major: string): string | undefined => {
  const { packages } = JSON.parse(readFileSync(lockfile, "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>
  }
  const versions = Object.entries(packages).flatMap(([path, { version = "" }]) =>
    path.endsWith("node_modules/effect") ? [version] : []
  )
  // `wield` and `@wield/effect4` have their own within.
  return versions.length < 2 && versions.every((version) => version.startsWith(major))
    ? undefined
    : `effect is installed in the versions ${versions.join(", ")}`
}

/**
 * What a line without `@3` comes to: Effect 4, a warning, and a message of Node when the package is imported, which no
 * code of the package comes before. The guide has the message.
 */
export const tryEffect4 = async (
  tarballs: ReadonlyArray<Tarball>,
  options: { readonly folder: string; readonly managers: ReadonlyArray<string> }
): Promise<string | undefined> => {
  const [, shown] =
    /`(Cannot find module [^`]+)`/.exec(readFileSync(join(root, "docs/getting-started.md"), "utf8")) ?? []
  if (shown === undefined) return "The guide does not have the message"
  const registry = await serveRegistry(tarballs)
  const line = { page: "", number: 0, isDevelopment: false, packages: ["effect", "@wield/core", "@effect/ai"] }
  try {
    for (const manager of options.managers.filter(isManager)) {
      const folder = mkdtempSync(join(options.folder, "effect4-"))
      const problem = await tryLines(manager, [line], { folder, registry: registry.url, isResolvedOnly: false })
      const expected = manager === "yarn-pnp" ? "Qualified path resolution failed" : shown
      if (problem === undefined || !expected.split("…").every((piece) => problem.includes(piece)))
        return `With ${manager}, Node does not say ${expected}, but ${problem ?? "nothing"}`
      rmSync(folder, { recursive: true, force: true })
    }
    return undefined
  } finally {
    registry.close()
  }
}

/** What an application on Effect 4 does with each package: a call, and which Effect each has. */
const besideEffect4: Readonly<Record<string, string>> = {
  "@wield/effect4": `import { Effect, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { ToolCall, ToolRunner, Toolset } from "@wield/effect4"
const Double = Tool.make("double", { parameters: Schema.Struct({ n: Schema.Finite }), success: Schema.Finite })
const Sums = Toolkit.make(Double)
const program = Effect.gen(function* () {
  const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Sums))
  return yield* runner.run(ToolCall.make("1", "double", { n: 21 }))
}).pipe(Effect.provide(Sums.toLayer({ double: ({ n }) => Effect.succeed(n * 2) })))
const { text } = await Effect.runPromise(program)`,
  wield: `import { Schema } from "effect"
import { tool, wield } from "wield"
const parameters = Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Schema.Struct({ n: Schema.Finite })))
const shop = await wield({ tools: [tool("double", { parameters, execute: ({ n }) => n * 2 })] })
const text = String(await shop.run().call("double", { n: 21 }))
await shop.close()`
}

const versions = (name: string): string => `
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
const require = createRequire(import.meta.url)
const { version } = JSON.parse(readFileSync(require.resolve("effect/package.json"), "utf8"))
const licences = readFileSync(new URL("THIRD-PARTY-LICENSES", import.meta.resolve(${JSON.stringify(name)})), "utf8")
console.log(JSON.stringify({ text, application: version, within: /^effect (\\S+)/m.exec(licences)[1] }))`

/**
 * Installs each beside the newest Effect, whatever that is by now: `effect/ai` and `effect/sql` may change in any minor
 * release. The rows are a table of which Effect each has.
 */
export const tryEffects = async (
  tarballs: ReadonlyArray<Tarball>,
  options: { readonly folder: string; readonly managers: ReadonlyArray<string> }
): Promise<{ readonly rows: ReadonlyArray<string>; readonly failures: ReadonlyArray<string> }> => {
  const registry = await serveRegistry(tarballs)
  const rows = ["| command | effect of the application | within Wield |", "|---|---|---|"]
  const failures: Array<string> = []
  try {
    for (const manager of options.managers.filter(isManager)) {
      for (const [name, program] of Object.entries(besideEffect4)) {
        const folder = mkdtempSync(join(options.folder, "effect4-"))
        const packages = [name, "effect@latest"]
        const line = { page: "", number: 0, isDevelopment: false, packages }
        const of = { folder, registry: registry.url, isResolvedOnly: false }
        const problem = await tryLines(manager, [line], of)
        writeFileSync(join(folder, "start.mjs"), `${program}\n${versions(name)}`)
        const [node, ...before] = nodeOf(manager)
        const result = await runCommand(node, [...before, "start.mjs"], { cwd: folder })
        const [said = ""] = /\{"text":.*\}/.exec(result.output) ?? []
        const command = `${manager}: ${packages.join(" ")}`
        if (problem !== undefined || !said.includes('"text":"42"'))
          failures.push(problem ?? `${command}: ${result.output}`)
        else {
          const { application, within } = JSON.parse(said) as { readonly application: string; readonly within: string }
          rows.push(`| ${command} | ${application} | ${within} |`)
        }
        rmSync(folder, { recursive: true, force: true })
      }
    }
    return { rows, failures }
  } finally {
    registry.close()
  }
}

const isManager = (name: string): name is Manager => name in managers

/** How many lines there are, and how many of them failed. Without managers npm resolves each line and installs nothing. */
export const tryInstalls = async (
  tarballs: ReadonlyArray<Tarball>,
  options: { readonly folder: string; readonly managers: ReadonlyArray<string> }
): Promise<{ readonly count: number; readonly failures: number }> => {
  const isResolvedOnly = options.managers.length === 0
  const managers = isResolvedOnly ? ["npm"] : options.managers
  const unique = new Map(
    groupsOf(pages.flatMap(linesOf)).map((lines) => {
      const examples = isResolvedOnly ? [] : examplesBy(lines[0]?.page ?? "")
      return [JSON.stringify([lines.map(({ packages }) => packages), examples]), lines]
    })
  )
  const groups = [...unique.values()]
  const registry = await serveRegistry(tarballs)
  const seconds = new Map<string, number>()
  const tries = managers.filter(isManager).flatMap((manager) => groups.map((lines) => ({ manager, lines })))
  try {
    const problems = await mapConcurrently(tries, availableParallelism(), async ({ lines, manager }) => {
      const [{ number, page }] = lines as [Line]
      const folder = mkdtempSync(join(options.folder, "consumer-"))
      const begun = performance.now()
      const problem = await tryLines(manager, lines, { folder, registry: registry.url, isResolvedOnly })
      seconds.set(manager, (seconds.get(manager) ?? 0) + (performance.now() - begun) / 1_000)
      console.log(`${problem === undefined ? "ok    " : "FAILED"} ${manager}, the line ${page}:${number}`)
      if (problem !== undefined) console.error(problem.split("\n").slice(0, 30).join("\n"))
      rmSync(folder, { recursive: true, force: true })
      return problem
    })
    // Several run at the same time: together they took less.
    for (const [manager, sum] of seconds) console.log(`${manager}: ${Math.round(sum)} seconds, of all lines`)
    return { count: tries.length, failures: problems.filter((problem) => problem !== undefined).length }
  } finally {
    registry.close()
  }
}
