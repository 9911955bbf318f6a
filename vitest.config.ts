import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Many tests wait for processes, servers and databases: on two processors one worker, the default, leaves one idle.
    maxWorkers: 2,
    minWorkers: 1,
    // A guard against what never ends, not a measure: a machine that is busy takes long for what is quick.
    testTimeout: 20_000,
    // Imported by Node itself, it would bring the CommonJS copy of graphql, whose schemas the other copy does not know.
    server: { deps: { inline: ["graphql-http"] } },
    include: [
      "packages/*/src/**/*.test.ts",
      "packages/*/test/**/*.test.ts",
      "test/**/*.test.ts",
      "scripts/**/*.test.ts",
      "bench/harness/**/*.test.ts"
    ],
    typecheck: {
      include: ["packages/*/{src,test}/**/*.test-d.ts", "test/**/*.test-d.ts"],
      tsconfig: "./tsconfig.types.json"
    }
  }
})
