import { spawnSync } from "node:child_process"
import { delimiter, dirname } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The path on which `python3` is Python itself, not a script that chooses one, as pyenv's: most executors of tests ask it. */
const pathWithPython = (): string => {
  const { stdout } = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" })
  const folders = stdout ? [dirname(stdout.trim())] : []
  return [...folders, process.env["PATH"]].join(delimiter)
}

/** Short files of tests that wait long: for processes that are killed, talked to and started again, and for a compiler. */
const waitsLong = /\.soak\.test\.ts$|\/kill\/|\/test\/(?:compiler|examples|corpus)\/|\/cli\/test\/processes\./

/** Vitest begins with the largest files. What takes longest comes before them, lest one worker end long after the other. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification): boolean => waitsLong.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    include: ["{packages/*/{src,test},test,scripts,bench/harness}/**/*.test.ts"],
    // What takes long by its nature, such as kills, hostile sizes and foreign material: `vitest.soak.config.ts` runs it.
    exclude: ["**/node_modules/**", "**/*.soak.test.ts"],
    // Test files share a process, one after the other: importing Wield takes longer than most of them.
    pool: "forks",
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // More room for what lives short: a tenth less of the processor. And V8 would optimize the grammar of Bash for seconds.
    poolOptions: {
      forks: { execArgv: ["--max-semi-space-size=64", "--no-wasm-tier-up", "--no-wasm-dynamic-tiering"] }
    },
    // Many tests wait, for processes, servers and databases: two workers leave a tenth of two processors idle.
    maxWorkers: 3,
    // tinypool 1.1 ends an idle worker twice, and the run with it, where two more than this are running.
    minWorkers: 3,
    // A guard against what never ends, not a measure: a machine that is busy takes long for what is quick.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    env: { PATH: pathWithPython() },
    runner: "test/runner.ts",
    globalSetup: ["test/setupRun.ts"],
    setupFiles: ["test/setupFile.ts"],
    // Imported by Node itself, it would bring the CommonJS copy of graphql, whose schemas the other copy does not know.
    server: { deps: { inline: ["graphql-http"] } }
  }
})
