/**
 * Packs every package and looks at it as someone who installs it would: publint and attw read the tarball, plain node
 * imports each public module with nothing to resolve but the dependencies it declares, and every install line of the
 * documents is resolved by npm. `pnpm packages npm pnpm yarn yarn-pnp bun` installs them with these managers.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { mapConcurrently } from "./map-concurrently.js"
import { tryEffect4, tryEffects, tryInstalls } from "./installs.js"
import { execute, packAll, readManifest, root } from "./pack.js"
import { runCommand } from "./run-command.js"

const consumer = mkdtempSync(join(tmpdir(), "wield-packages-"))
/** Not within the other: Node would find there what an install line lacks. */
const strangers = mkdtempSync(join(tmpdir(), "wield-strangers-"))

interface Installed {
  readonly name: string
  readonly tarball: string
  /** Paths of its commands. */
  readonly commands: ReadonlyArray<string>
  /** Whether the package itself is a module. */
  readonly hasIndex: boolean
  /** Importable: the modules at the top of `dist`. */
  readonly publicModules: ReadonlyArray<string>
  /** Those that import vitest, by their full paths: they can be imported only by what vitest runs. */
  readonly testModules: ReadonlyArray<string>
  /** Not importable: what lies in a folder of `dist`, be it code or types. */
  readonly innerModules: ReadonlyArray<string>
}

const importsVitest = /^(?:import|export) .*"(?:@effect\/)?vitest";?$/m

/** Unpacks a tarball where node finds it, beside links to the dependencies that its manifest declares. */
const install = async (folder: string, name: string, tarball: string): Promise<Installed> => {
  const installation = join(consumer, "node_modules")
  const destination = join(installation, name)
  mkdirSync(destination, { recursive: true })
  await execute("tar", ["-xzf", tarball, "-C", destination, "--strip-components=1"])

  const { bin = {}, dependencies = {}, peerDependencies = {} } = readManifest(join(destination, "package.json"))
  for (const dependency of Object.keys({ ...dependencies, ...peerDependencies })) {
    if (/^(@wield\/|wield$)/.test(dependency)) continue
    const target = realpathSync(join(folder, "node_modules", dependency))
    const shared = join(installation, dependency)
    if (existsSync(shared) && realpathSync(shared) === target) continue
    // Of another version it has its own, as package managers do it.
    const link = existsSync(shared) ? join(destination, "node_modules", dependency) : shared
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(target, link, "junction")
  }

  const outputs = readdirSync(join(destination, "dist"), { recursive: true, encoding: "utf8" })
    .filter((file) => /(\.js|\.d\.ts)$/.test(file))
    .map((file) => file.replaceAll("\\", "/").replace(/(\.js|\.d\.ts)$/, ""))
    .sort()
  const modules = [...new Set(outputs)]
  const publicModules = modules.filter((file) => !file.includes("/") && file !== "index")
  return {
    name,
    tarball,
    commands: Object.values(bin).map((path) => join(destination, path)),
    hasIndex: modules.includes("index"),
    publicModules,
    testModules: publicModules
      .filter((module) => importsVitest.test(readFileSync(join(destination, "dist", `${module}.js`), "utf8")))
      .map((module) => `${name}/${module}`),
    innerModules: modules.filter((file) => file.includes("/"))
  }
}

/** What a module imports of the packages is a copy of its own, where the module's own address ends with a number. */
const copies = `export const resolve = async (specifier, context, next) => {
  const resolved = await next(specifier, context)
  const [, number] = /\\?(\\d+)$/.exec(context.parentURL ?? "") ?? []
  const isOurs = /\\/node_modules\\/(?:@wield|wield)\\/[^?]*$/.test(resolved.url)
  return number === undefined || !isOurs ? resolved : { ...resolved, url: resolved.url + "?" + number }
}`

/** Each with copies of what it imports: a module that others have to be imported before is broken. */
const importAll = async ({
  commands,
  hasIndex,
  name,
  publicModules,
  testModules,
  innerModules
}: Installed): Promise<void> => {
  for (const command of commands) await runToEnd(`${command} --version`, [command, "--version"])
  const paths = [...(hasIndex ? [name] : []), ...publicModules.map((module) => `${name}/${module}`)]
  for (const path of testModules) await importInTest(path)
  await runModule(
    `importing each module of ${name}`,
    `import { register } from "node:module"
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(copies)}`)})
    for (const [number, path] of ${JSON.stringify(paths.filter((path) => !testModules.includes(path)))}.entries()) {
      await import(import.meta.resolve(path) + "?" + number).catch((cause) => { throw new Error(path, { cause }) })
    }`
  )
  await runModule(
    `what ${name} does not export`,
    `for (const path of ${JSON.stringify(innerModules.map((module) => `${name}/${module}`))}) {
      const isExported = await import(path).then(() => true, (error) => error.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED")
      if (isExported) throw new Error(path + " can be imported: set its folder to null in both exports of package.json")
    }`
  )
}

const importInTest = async (path: string): Promise<void> => {
  const file = `import${path.replaceAll(/\W+/g, "-")}.test.mjs`
  writeFileSync(
    join(consumer, file),
    // An import within the test would have a limit of time.
    `import { it } from "vitest"\nimport ${JSON.stringify(path)}\nit("is imported", () => {})\n`
  )
  await runToEnd(`importing ${path} in vitest`, [join(consumer, "node_modules", "vitest", "vitest.mjs"), "run", file])
}

/** Links of a package's pages lead to files of the package, or to an address. */
const deadLinksOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .flatMap((page) =>
      Array.from(
        readFileSync(join(folder, page), "utf8")
          .replaceAll(/^```[^]*?^```$|`[^`\n]*`/gm, "")
          .matchAll(/\]\(([^)#\s]+)/g),
        ([, link = ""]) => link
      )
        .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(folder, dirname(page), link)))
        .map((link) => `${page}: ${link}`)
    )

const runModule = (title: string, program: string): Promise<void> =>
  runToEnd(title, ["--input-type=module", "--eval", program])

const runToEnd = async (title: string, nodeArguments: ReadonlyArray<string>): Promise<void> => {
  const result = await runCommand(process.execPath, nodeArguments, { cwd: consumer })
  if (!result.succeeded) throw new Error(`${title}: ${result.ending}\n${result.output}`)
}

/**
 * What the types of a package itself import without being sure to be installed: the compiler refuses such a program,
 * where it checks declarations.
 */
const optionalTypes = (installation: string, name: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  const seen = new Set<string>()
  const follow = (package_: string, file: string): void => {
    const path = join(installation, package_, "dist", `${file}.d.ts`)
    if (seen.has(path) || !existsSync(path)) return
    seen.add(path)
    const manifest = readManifest(join(installation, package_, "package.json"))
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest
    for (const line of readFileSync(path, "utf8").split("\n")) {
      const [, imported] = /^(?! *\*).*\b(?:from |import\()"([^"]+)"/.exec(line) ?? []
      if (imported === undefined || imported.startsWith("node:")) continue
      const [, other = "", module = "index"] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.+))?$/.exec(imported) ?? []
      if (imported.startsWith(".")) follow(package_, join(dirname(file), imported.replace(/\.js$/, "")))
      else if (/^(@wield\/|wield$)/.test(other)) follow(other, module)
      else if (
        dependencies[other] === undefined &&
        (peerDependencies[other] === undefined || peerDependenciesMeta[other]?.optional === true)
      )
        found.add(`${package_}/dist/${file}.d.ts imports ${imported}`)
    }
  }
  follow(name, "index")
  return [...found]
}

/** Names that only a program with Effect knows. */
const ofEffect =
  /\b(?:Cause|Context|Effect|Fiber|Layer|ManagedRuntime|Option|Pipeable|Redacted|Schedule|Schema|Scope|Stream)[.<]/

/** What is typed where `wield` meets the application's own packages. */
const mixed = `import * as FileStore from "@wield/agent/FileStore"
import { ToolRunner } from "@wield/core"
import * as AiSdk from "@wield/interop/ai-sdk"
import { Effect } from "effect"
import { type Store, tool, wield } from "wield"

const store: Store = FileStore.layer({ path: "shop.db" })
const theirs = AiSdk.toToolset({})
const shop = await wield({ tools: [tool("now", { execute: () => 1 })], toolsets: [theirs], store })
const { toolApproval, tools } = await shop.run().to(AiSdk.fromRun)
export const given: object = { toolApproval, tools }
export const also: object = await shop.run().to((run) => AiSdk.fromRun(run))
export const runner = await shop.runtime.runPromise(ToolRunner.make(shop.toolset, shop.policy))
export const one: number = await shop.runtime.runPromise(Effect.succeed(1))
// @ts-expect-error It is neither a toolset nor an effect.
await wield({ tools: [], toolsets: [7] })
// @ts-expect-error It is no store.
await wield({ tools: [], store: {} })
`

const anywhere = /\bany\b(?!["'])/

/** What the packages that `wield` is made of say of `any` themselves. */
const linesWithAny = (folder: string): ReadonlySet<string> =>
  new Set(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\/dist\/.*\.d\.ts$/.test(`/${name.replaceAll("\\", "/")}`))
      .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
      .flatMap((line) => (anywhere.test(line) ? [line.trim()] : []))
  )

/** The types of `wield` stand alone, name nothing of Effect, and say of a program what its sources say. */
const checkTypes = async (installation: string): Promise<void> => {
  const dist = join(installation, "wield", "dist")
  const withAny = linesWithAny(join(installation, "@wield"))
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".d.ts")
  )) {
    const code = readFileSync(join(dist, file), "utf8").replaceAll(/\/\*\*[^]*?\*\//g, "")
    for (const line of code.split("\n")) {
      if (ofEffect.test(line) || (/\bfrom "|\bimport\(/.test(line) && !line.includes('from "./')))
        throw new Error(`wield/dist/${file}: ${line}`)
      if (anywhere.test(line) && !withAny.has(line.trim()))
        throw new Error(`wield/dist/${file} has an \`any\` that its sources have not: ${line}`)
    }
  }
  for (const name of ["vitest", "zod"]) {
    const link = join(installation, name)
    if (!existsSync(link)) symlinkSync(realpathSync(join(root, "node_modules", name)), link, "junction")
  }
  copyFileSync(join(root, "packages", "wield", "test", "wield.test-d.ts"), join(consumer, "wield.test-d.mts"))
  writeFileSync(join(consumer, "mixed.test-d.mts"), mixed)
  const options = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--module", "nodenext", "--target", "es2022"]
  const lib = ["--lib", "es2023,dom,dom.iterable,dom.asynciterable"]
  await runToEnd("the types of wield", [
    join(root, "node_modules", "typescript", "bin", "tsc"),
    ...options,
    ...lib,
    "--types",
    "node",
    "--typeRoots",
    join(root, "node_modules", "@types"),
    "--skipLibCheck",
    "wield.test-d.mts",
    "mixed.test-d.mts"
  ])
  const own = readdirSync(dist).flatMap((name) => (name.endsWith(".d.ts") ? [join(dist, name)] : []))
  await runToEnd("the types of wield, by themselves", [
    join(root, "node_modules", "typescript", "bin", "tsc"),
    ...options,
    ...lib,
    ...own
  ])
}

/** Beside what an application brings along, plain JavaScript uses each module of `wield`. */
const useWield = async (installation: string): Promise<void> => {
  const theirs = [
    "ai",
    "zod",
    "@electric-sql/pglite",
    ...["api", "context-async-hooks", "sdk-trace"].map((name) => `@opentelemetry/${name}`)
  ]
  for (const name of theirs) {
    const link = join(installation, name)
    if (existsSync(link)) continue
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(realpathSync(join(root, "node_modules", name)), link, "junction")
  }
  copyFileSync(join(root, "packages", "wield", "test", "packed.mjs"), join(consumer, "packed.mjs"))
  await runToEnd("each module of wield", ["packed.mjs", join(root, "examples", "mcp", "server.mjs")])
}

/** The example of an application on Effect 4 alone, as its author would check it: declarations of packages included. */
const checkEffect4 = async (installation: string): Promise<void> => {
  const example = join(root, "examples", "effect-4")
  const application = join(consumer, "effect4-application")
  const modules = join(application, "node_modules")
  mkdirSync(join(modules, "@wield"), { recursive: true })
  writeFileSync(join(application, "package.json"), JSON.stringify({ type: "module" }))
  const sources = readdirSync(example).filter((name) => name.endsWith(".ts"))
  for (const name of sources) copyFileSync(join(example, name), join(application, name))
  symlinkSync(join(installation, "@wield", "effect4"), join(modules, "@wield", "effect4"), "junction")
  for (const name of ["effect", "libsql"]) {
    symlinkSync(realpathSync(join(example, "node_modules", name)), join(modules, name), "junction")
  }
  const given = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--module", "nodenext", "--target", "es2022"]
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules", "@types")]
  await runToEnd("the example on Effect 4, without skipLibCheck", [
    join(root, "node_modules", "typescript", "bin", "tsc"),
    ...given,
    ...types,
    "--lib",
    "es2023,dom,dom.iterable,dom.asynciterable,esnext.disposable",
    ...sources.map((name) => join(application, name))
  ])
}

const checkPackages = async (): Promise<void> => {
  const tarballs = await packAll(consumer)

  const installed: Array<Installed> = []
  for (const { folder, name, tarball } of tarballs) installed.push(await install(folder, name, tarball))

  await mapConcurrently(installed, availableParallelism(), async (target) => {
    const { name, tarball } = target
    const missing = optionalTypes(join(consumer, "node_modules"), name)
    const dead = deadLinksOf(join(consumer, "node_modules", name))
    if (dead.length > 0) throw new Error(`Links in ${name} lead to nothing within the package:\n${dead.join("\n")}`)
    if (missing.length > 0) throw new Error(`The types of ${name} need what may be absent:\n${missing.join("\n")}`)
    await execute("publint", ["run", tarball, "--strict"])
    await execute("attw", [
      tarball,
      "--profile",
      "esm-only",
      "--entrypoints",
      ...(target.hasIndex ? ["."] : []),
      ...target.publicModules
    ])
    await importAll(target)
    console.log(
      `${name}: publint and attw find nothing; node imports it and its ${target.publicModules.length} modules`
    )
  })

  await checkTypes(join(consumer, "node_modules"))
  console.log("wield: its types stand alone")
  await checkEffect4(join(consumer, "node_modules"))
  console.log("@wield/effect4: an application on Effect 4 alone passes the compiler, declarations included")
  await useWield(join(consumer, "node_modules"))
  console.log("wield: plain JavaScript uses each of its modules, a chat page over HTTP, OpenTelemetry")

  const managers = process.argv.slice(2)
  const { count, failures } = await tryInstalls(tarballs, { folder: strangers, managers })
  if (count === 0 || failures > 0) throw new Error(`${failures} of ${count} install lines fail`)
  const beside = { folder: strangers, managers: managers.length === 0 ? ["npm"] : managers }
  const problem = await tryEffect4(tarballs, beside)
  if (problem !== undefined) throw new Error(`Beside Effect 4: ${problem}`)
  const table = await tryEffects(tarballs, beside)
  console.log(`\n${table.rows.join("\n")}\n`)
  if (table.failures.length > 0) throw new Error(`Beside Effect 4: ${table.failures.join("\n")}`)
}

try {
  await checkPackages()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  for (const folder of [consumer, strangers]) rmSync(folder, { recursive: true, force: true })
}
