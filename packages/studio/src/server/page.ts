/** The files of the page: built in the package, or on demand from its sources in the repository. */
import { readFile } from "node:fs/promises"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Handle } from "./guard.js"

const types: { readonly [file: string]: string } = {
  "index.html": "text/html; charset=utf-8",
  "studio.js": "text/javascript; charset=utf-8",
  "design.css": "text/css; charset=utf-8",
  "studio.css": "text/css; charset=utf-8"
}

export const servePage = (): Handle => {
  let folder: Promise<string> | undefined
  return async (request) => {
    const { pathname } = new URL(request.url)
    const file = pathname === "/" ? "index.html" : pathname.slice(1)
    const type = Object.hasOwn(types, file) ? types[file] : undefined
    if (type === undefined)
      return Response.json({ _tag: "NotFound", message: "There is no such page" }, { status: 404 })
    if (request.method !== "GET" && request.method !== "HEAD") return new Response(null, { status: 405 })
    folder ??= findFolder()
    const content = await readFile(join(await folder, file))
    return new Response(new Uint8Array(content), { headers: { "content-type": type, "cache-control": "no-cache" } })
  }
}

/** In the repository from `src/server`, in the package from `dist` or `dist/chunks`. */
const findFolder = async (): Promise<string> => {
  const here = dirname(fileURLToPath(import.meta.url))
  const builder = join(here, "../../ui/build.ts")
  if (existsSync(builder)) {
    const { buildPage }: { readonly buildPage: () => Promise<string> } = await import(builder)
    return buildPage()
  }
  const built = [join(here, "ui"), join(here, "../ui")].find((folder) => existsSync(join(folder, "index.html")))
  if (built === undefined) throw new Error("The page of the studio is not in the package")
  return built
}
