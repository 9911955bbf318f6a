import { defineConfig } from "vitest/config"

/** Type tests have a configuration of their own: with projects, vitest runs the other tests as well when it is asked for these only. */
export default defineConfig({
  test: {
    typecheck: {
      include: ["packages/*/{src,test}/**/*.test-d.ts", "test/**/*.test-d.ts"],
      tsconfig: "./tsconfig.types.json"
    }
  }
})
