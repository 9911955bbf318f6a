/** What `wield new` writes. A test type-checks and runs all of it. */

type Files = { readonly [path: string]: string }

type Language = "typescript" | "python" | "bash"

const pascal = (name: string) => name.replace(/(?:^|[_-])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** A script that is a tool. */
export const tool = (name: string, language: Language): Files => {
  switch (language) {
    case "typescript":
      return {
        [`${name}.ts`]: `/**
 * Greets a person by name.
 * @param name Who is greeted
 * @param isFormal Whether the greeting is a formal one
 */
export function run(name: string, isFormal = false): string {
  return isFormal ? \`Good day, \${name}.\` : \`Hello, \${name}!\`
}
`
      }
    case "python":
      return {
        [`${name}.py`]: `def run(name: str, is_formal: bool = False) -> str:
    """Greets a person by name.

    Args:
        name: Who is greeted
        is_formal: Whether the greeting is a formal one
    """
    return f"Good day, {name}." if is_formal else f"Hello, {name}!"
`
      }
    case "bash":
      return {
        [`${name}.sh`]: `#!/usr/bin/env bash
set -e

# @describe Greets a person by name.
# @option --name! Who is greeted
# @flag --formal Whether the greeting is a formal one

main() {
    if [ -n "$argc_formal" ]; then
        echo "Good day, $argc_name."
    else
        echo "Hello, $argc_name!"
    fi
}

eval "$(argc --argc-eval "$0" "$@")"
`
      }
  }
}

/** Tools in code, with a test of their own. */
export const toolkit = (name: string): Files => ({
  [`${name}.ts`]: `import { Tool, Toolkit } from "@effect/ai"
import { Effect, Schema } from "effect"

/** The tools that a model is shown. */
export class ${pascal(name)} extends Toolkit.make(
  Tool.make("greet", {
    description: "Greets a person by name",
    parameters: { name: Schema.String.annotations({ description: "Who is greeted" }) },
    success: Schema.String
  })
) {}

/** What runs their calls. */
export const ${pascal(name)}Live = ${pascal(name)}.toLayer({
  greet: ({ name }) => Effect.succeed(\`Hello, \${name}!\`)
})
`,
  [`${name}.test.ts`]: `import * as assert from "node:assert"
import { test } from "node:test"
import { ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { ${pascal(name)}, ${pascal(name)}Live } from "./${name}.js"

test("greets a person", async () => {
  const program = Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(${pascal(name)}))
    return yield* runner.run(ToolCall.make("call_1", "greet", { name: "Ada" }))
  })
  const outcome = await Effect.runPromise(program.pipe(Effect.provide(${pascal(name)}Live)))
  assert.strictEqual(outcome._tag === "Success" && outcome.result, "Hello, Ada!")
})
`
})

/** A folder with a configuration, and tools that it can list and call. */
export const project = (name: string, language: Language): Files => {
  const folder = (prefix: string, files: Files): Files =>
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`${prefix}/${path}`, text]))
  const ignored = { ".gitignore": "node_modules\ndist\n*.db\n" }
  if (language !== "typescript") {
    return {
      ...ignored,
      "wield.config.json": `${JSON.stringify({ tools: [{ scripts: "tools" }] }, null, 2)}\n`,
      ...folder("tools", tool("greet", language))
    }
  }
  return {
    ...ignored,
    "package.json": `${JSON.stringify(packageOf(name), null, 2)}\n`,
    "tsconfig.json": `${JSON.stringify(typeScript, null, 2)}\n`,
    "wield.config.ts": `import { defineConfig } from "@wield/cli"
import { Greetings, GreetingsLive } from "./src/greetings.js"

export default defineConfig({
  tools: [Greetings],
  layer: GreetingsLive
})
`,
    ...folder("src", toolkit("greetings"))
  }
}

const packageOf = (name: string) => ({
  name,
  private: true,
  type: "module",
  scripts: {
    build: "tsc",
    test: "tsc && node --test dist/src/*.test.js",
    tools: "wield list --trust"
  },
  dependencies: {
    "@effect/ai": "0.37.0",
    "@wield/core": "^0.1.0",
    effect: "3.22.4"
  },
  devDependencies: {
    "@types/node": "^20.19.0",
    "@wield/cli": "^0.1.0",
    typescript: "5.9.3"
  }
})

const typeScript = {
  compilerOptions: {
    strict: true,
    target: "ES2022",
    module: "NodeNext",
    moduleResolution: "NodeNext",
    skipLibCheck: true,
    outDir: "dist",
    rootDir: "."
  },
  include: ["wield.config.ts", "src"]
}
