import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { bundle } from "../../../scripts/build/bundle.js"

/** The packages that a file imports, with all that it imports of its own. */
const packagesOf = (file: string, seen = new Set<string>()): ReadonlyArray<string> => {
  if (seen.has(file)) return []
  seen.add(file)
  const imported = [...readFileSync(file, "utf8").matchAll(/\bfrom "([^"]+)"/g)].map(([, specifier = ""]) => specifier)
  return imported.flatMap((specifier) =>
    specifier.startsWith(".") ? packagesOf(join(dirname(file), specifier), seen) : [specifier]
  )
}

it("needs the agent for nothing but models of the AI SDK, as it is published", async () => {
  const dist = mkdtempSync(join(tmpdir(), "wield-interop-"))
  try {
    await bundle(fileURLToPath(new URL("..", import.meta.url)), dist)
    const modules = readdirSync(dist).filter((name) => name.endsWith(".js"))
    const needing = modules.filter((name) =>
      packagesOf(join(dist, name)).some((specifier) => /^@wield\/(?:agent|providers)/.test(specifier))
    )
    expect(needing).toEqual(["ai-sdk-model.js"])
  } finally {
    rmSync(dist, { recursive: true, force: true })
  }
})
