import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
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
