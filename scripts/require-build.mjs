/** Run by `pnpm pack` in a package's folder: without `dist`, the tarball would hold no program, and nothing would say so. */
import { existsSync } from "node:fs"

if (!existsSync("dist")) {
  console.error("This package is not built: run `npx -y pnpm@12.21.0 build` in the repository's root, and pack again")
  process.exitCode = 1
}
