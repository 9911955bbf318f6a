/** Builds the page: its files by their paths. */
import { readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const here = dirname(fileURLToPath(import.meta.url))

export interface File {
  readonly type: string
  readonly content: string
}

export const buildPage = async (): Promise<ReadonlyMap<string, File>> => {
  const build = await rolldown({
    input: join(here, "main.tsx"),
    platform: "browser",
    tsconfig: false,
    onwarn: ({ code, message }) => {
      // Libraries mark modules for servers that render React. Anything else is a mistake, such as a missing package.
      if (code !== "MODULE_LEVEL_DIRECTIVE") throw new Error(message)
    },
    resolve: { extensionAlias: { ".js": [".ts", ".tsx", ".js"] } },
    transform: {
      target: "es2023",
      jsx: { runtime: "automatic", importSource: "react" },
      define: { "process.env.NODE_ENV": '"production"' }
    }
  })
  const { output } = await build.generate({ format: "esm", minify: true, codeSplitting: false })
  await build.close()
  const read = (name: string) => readFile(join(here, name), "utf8")
  return new Map([
    ["/", { type: "text/html; charset=utf-8", content: await read("index.html") }],
    // The studio's: colours, type, controls and states.
    ["/design.css", { type: "text/css; charset=utf-8", content: await read("../../../packages/studio/ui/design.css") }],
    ["/page.css", { type: "text/css; charset=utf-8", content: await read("page.css") }],
    ["/page.js", { type: "text/javascript; charset=utf-8", content: output[0].code }]
  ])
}
