/**
 * Measures what Wield costs beside its peers: `pnpm bench` runs every case, `pnpm bench call` only that one. What is
 * measured is the JavaScript that would be published. `bench/` installs its peers on its own, when first asked.
 */
import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { stage } from "./bench/stage.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bench = join(root, "bench")

const run = (command: string, workingDirectory: string): void => {
  const { status } = spawnSync(command, { cwd: workingDirectory, shell: true, stdio: ["ignore", "inherit", "inherit"] })
  if (status !== 0) {
    console.error(`${command} ended with exit code ${status}`)
    process.exit(1)
  }
}

run("pnpm run build", root)
stage(root, join(bench, ".build", "packages"))
stage(root, join(bench, ".build", "command"), true)
run("pnpm install --frozen-lockfile --silent", bench)
run("node node_modules/typescript/bin/tsc -p tsconfig.json", bench)
run(["node", ".build/bench/main.js", ...process.argv.slice(2).map((name) => JSON.stringify(name))].join(" "), bench)
