import { defineConfig } from "vitest/config"

/** Packages whose tests neither start processes nor open databases of native code. */
const light = "{core,http,manifest,providers,testing}"
const heavy = "{agent,assistant,cli,process,scripts,toolsets}"

const testsOf = (folders: string) => [`packages/${folders}/src/**/*.test.ts`, `packages/${folders}/test/**/*.test.ts`]

export default defineConfig({
  test: {
    // Test files share a process, one after the other: importing Wield takes longer than most of them. The workers
    // are read from here, not from a project.
    pool: "forks",
    isolate: false,
    // Many tests wait for processes, servers and databases: on two processors one worker, the default, leaves one idle.
    maxWorkers: 2,
    minWorkers: 1,
    // A guard against what never ends, not a measure: a machine that is busy takes long for what is quick.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    globalSetup: ["test/setupRun.ts"],
    setupFiles: ["test/setupFile.ts"],
    // Imported by Node itself, it would bring the CommonJS copy of graphql, whose schemas the other copy does not know.
    server: { deps: { inline: ["graphql-http"] } },
    projects: [
      { extends: true, test: { name: "light", include: testsOf(light) } },
      {
        extends: true,
        test: {
          name: "heavy",
          include: [...testsOf(heavy), "test/**/*.test.ts", "scripts/**/*.test.ts", "bench/harness/**/*.test.ts"]
        }
      }
    ]
  }
})
