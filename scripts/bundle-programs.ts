/**
 * Programs as JavaScript that starts fast: a process that reads the sources loads over a thousand files and takes
 * seconds, and there are hundreds of programs.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Plugin, rolldown } from "rolldown"

/** Modules of JavaScript alone. Others stay where they are: some have native code, threads or files beside them. */
const isBundled = (specifier: string): boolean =>
  /^(?:effect|wield|ajv|ajv-formats|ipaddr\.js|jose|undici|zod|@(?:effect|modelcontextprotocol|noble|wield)\/[^/]+)(?:\/|$)/.test(
    specifier
  )

const isPath = (specifier: string): boolean => /^(?:\.|\/|\w:\\|\0)/.test(specifier)

const leaveOthersOutside: Plugin = {
  name: "leave-others-outside",
  async resolveId(specifier, importer, { isEntry }) {
    if (isEntry || isPath(specifier) || isBundled(specifier) || specifier.startsWith("node:")) return null
    const resolved = await this.resolve(specifier, importer, { skipSelf: true })
    // What an optional dependency imports may not be installed.
    if (resolved === null || resolved.external !== false) return { id: specifier, external: true }
    return { id: resolved.id, external: true }
  }
}

/** Imported, Node would read its nine megabytes once more, for the names it exports: that takes longer than to load it. */
const requireCompiler: Plugin = {
  name: "require-compiler",
  resolveId: { filter: { id: /^typescript$/ }, handler: () => "\0compiler" },
  load: {
    filter: { id: /^\0compiler$/ },
    handler: () =>
      `import { createRequire } from "node:module"\nexport default createRequire("${import.meta.url}")("typescript")`
  }
}

/** A source finds what lies beside it from its own address. */
export const keepAddresses: Plugin = {
  name: "keep-addresses",
  transform: {
    filter: { code: /\bimport\.meta\.url\b/, id: { exclude: /[\\/]node_modules[\\/]/ } },
    handler: (code, id) => ({
      code: code.replace(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(id).href)),
      map: null
    })
  }
}

/**
 * V8 would optimize the grammar of Bash, or a whole database, for seconds, and a process waits for that before it ends.
 * What a program imports comes before this line, and makes nothing of WebAssembly yet.
 */
const banner = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"]
  .map((flag) => `process.getBuiltinModule("node:v8").setFlagsFromString("${flag}")`)
  .join("\n")

/** Writes each program as `<name>.mjs`; what several share lies in files of their own. */
export const bundlePrograms = async (
  programs: ReadonlyMap<string, string>,
  options: { readonly folder: string }
): Promise<ReadonlyMap<string, string>> => {
  const build = await rolldown({
    input: Object.fromEntries(programs),
    platform: "node",
    tsconfig: false,
    // Guides may use newer syntax, such as `await using`.
    transform: { target: "node20" },
    plugins: [requireCompiler, leaveOthersOutside, keepAddresses]
  })
  await build.write({
    dir: options.folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "shared/[name]-[hash].mjs",
    banner: ({ isEntry }) => (isEntry ? banner : ""),
    sourcemap: true
  })
  await build.close()
  return new Map([...programs.keys()].map((name) => [name, join(options.folder, `${name}.mjs`)]))
}
