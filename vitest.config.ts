import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["{packages/*/{src,test},test,scripts,bench/harness}/**/*.test.ts"],
    // What takes long by its nature, such as kills, hostile sizes and foreign material: `vitest.soak.config.ts` runs it.
    exclude: ["**/node_modules/**", "**/*.soak.test.ts"],
    // Test files share a process, one after the other: importing Wield takes longer than most of them.
    pool: "forks",
    isolate: false,
    // More room for what lives short: a tenth less of the processor.
    poolOptions: { forks: { execArgv: ["--max-semi-space-size=64"] } },
    // Many tests wait for processes, servers and databases: on two processors one worker, the default, leaves one idle.
    maxWorkers: 2,
    minWorkers: 1,
    // A guard against what never ends, not a measure: a machine that is busy takes long for what is quick.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    globalSetup: ["test/setupRun.ts"],
    setupFiles: ["test/setupFile.ts"],
    // Imported by Node itself, it would bring the CommonJS copy of graphql, whose schemas the other copy does not know.
    server: { deps: { inline: ["graphql-http"] } }
  }
})
