import { defineConfig } from "vitest/config"

/** Their files share a process: they share nothing in it but what they import, and importing takes longer than most tests. */
const light = "{core,http,manifest,providers,testing}"

/** They count processes, turn clocks and open databases of native code: each file has a process of its own. */
const heavy = "{agent,assistant,cli,scripts}"

const testsOf = (folders: string) => [`packages/${folders}/src/**/*.test.ts`, `packages/${folders}/test/**/*.test.ts`]

export default defineConfig({
  test: {
    // Many tests wait for processes, servers and databases: on two processors one worker, the default, leaves one idle.
    maxWorkers: 2,
    minWorkers: 1,
    // A guard against what never ends, not a measure: a machine that is busy takes long for what is quick.
    testTimeout: 60_000,
    // Imported by Node itself, it would bring the CommonJS copy of graphql, whose schemas the other copy does not know.
    server: { deps: { inline: ["graphql-http"] } },
    projects: [
      { extends: true, test: { name: "light", include: testsOf(light), isolate: false } },
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
