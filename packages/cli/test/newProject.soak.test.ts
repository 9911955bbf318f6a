import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../../../scripts/run-command.js"
import { bundleOf } from "../../../test/programs.js"
import { project } from "./wield.js"

const here = fileURLToPath(new URL("..", import.meta.url))
const root = fileURLToPath(new URL("../../..", import.meta.url))

describe("wield new", () => {
  it.scopedLive("makes a project of TypeScript that type-checks and passes its tests", () =>
    Effect.gen(function* () {
      const { folder, wield } = yield* project({}, here)
      assert.strictEqual((yield* wield(["new", "project", "shop"])).code, 0)
      const shop = join(folder, "shop")
      const called = yield* wield(["call", "greet", "name=Ada", "--trust"], { folder: shop })
      assert.strictEqual(called.output, "Hello, Ada!\n", called.error)
      const compiler = join(root, "node_modules/@typescript/native/bin/tsc")
      const run = (...args: ReadonlyArray<string>) =>
        Effect.promise(() => runCommand(process.execPath, args, { cwd: shop, timeLimitSeconds: 600 }))
      const checked = yield* run(compiler, "--noEmit", "-p", shop)
      // The packages are sources here, which are written for the settings of this repository.
      const own = checked.output.split("\n").filter((line) => line.includes("shop/"))
      assert.deepStrictEqual(own, [])
      const test = yield* bundleOf(join(shop, "src/greetings.test.ts"))
      const ran = yield* run("--test", test)
      assert.isTrue(ran.succeeded, ran.output)
    })
  )
})
