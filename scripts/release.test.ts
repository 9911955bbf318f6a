import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { readManifest, root } from "./pack.js"
import { placesOfVersion, release } from "./release.js"
import { runCommand } from "./run-command.js"

const { version: current } = readManifest(join(root, "package.json"))
const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/package.json`)

const copy = (folder: string, paths: ReadonlyArray<string>): void => {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path))
  }
}

/** Every package is there in the version that the repository has. */
const serveReleased = async () => {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url ?? "").slice(1)
    response.setHeader("content-type", "application/json")
    const dist = { tarball: "http://127.0.0.1:1/none.tgz", shasum: "0" }
    const versions = { [current]: { name, version: current, dist } }
    response.end(JSON.stringify({ name, "dist-tags": { latest: current }, versions }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  // It listens on a port, so its address is no path.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() }
}

it("gives every package and every page one version after a minor of core, and writes it down", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wield-release-"))
  const registry = await serveReleased()
  try {
    const others = ["packages/effect4/effect3/package.json", "examples/effect-4/package.json"]
    copy(folder, ["CHANGELOG.md", "pnpm-workspace.yaml", ...packages, ...others, ...placesOfVersion])
    writeFileSync(join(folder, ".npmrc"), `registry=${registry.url}\n`)
    mkdirSync(join(folder, ".changeset"))
    const intents = { one: ["@wield/core", "minor", "Quotas count."], two: ["wield", "patch", "It starts sooner."] }
    for (const [name, [package_, bump, summary]] of Object.entries(intents)) {
      writeFileSync(join(folder, ".changeset", `${name}.md`), `---\n"${package_}": ${bump}\n---\n\n${summary}\n`)
    }

    const version = await release(folder)

    const [major, minor] = current.split(".")
    expect(version).toBe(`${major}.${Number(minor) + 1}.0`)
    const versions = packages.map((path) => readManifest(join(folder, path)).version)
    expect([...new Set(versions)]).toEqual([version])
    for (const place of placesOfVersion) {
      const text = readFileSync(join(folder, place), "utf8")
      expect([place, text.includes(version), text.includes(current)]).toEqual([place, true, false])
    }
    const changelog = readFileSync(join(folder, "CHANGELOG.md"), "utf8")
    expect(changelog).toContain(
      `## ${version}\n\n### Changes\n\n- \`@wield/core\`: Quotas count.\n\n### Mended\n\n- \`wield\`: It starts sooner.\n\n## ${current}\n`
    )
  } finally {
    registry.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

it("knows every place that holds the version", async () => {
  const { output } = await runCommand("git", ["grep", "-lF", current, "--", "README.md", "docs", "packages/*/src"], {
    cwd: root
  })
  const isTest = (path: string): boolean => /\.test(-d)?\.ts$/.test(path) || path === "docs/versions.md"
  const found = output.split("\n").filter((path) => path !== "" && !isTest(path))
  expect(found.filter((path) => !placesOfVersion.includes(path))).toEqual([])
})

it("has all packages in one version now, by pnpm's own check", async () => {
  const names = packages.map((path) => readManifest(join(root, path)).name)
  const workspace = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")
  const [, listed = ""] = /fixed:\n([^]*?)\n {2}[#\w]/.exec(workspace) ?? []
  expect([...listed.matchAll(/- "?([@\w/-]+)"?$/gm)].map(([, name]) => name).sort()).toEqual(names.sort())
  const checked = await runCommand("pnpm", ["change", "check"], { cwd: root })
  expect([checked.ending, checked.output]).toEqual(["exit code 0", expect.stringContaining("satisfy")])
})
