/**
 * A Chromium for tests: the one that `WIELD_BROWSER` names, one that is installed, or on Linux on x64 the one in the npm
 * package `@sparticuz/chromium`. Nothing is downloaded.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliDecompressSync } from "node:zlib"
import { type BrowserServer, chromium, type LaunchOptions } from "playwright-core"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Writes the files of a tar archive: header blocks of 512 bytes, each followed by its file's blocks. */
const writeTar = (archive: Buffer, folder: string): void => {
  let offset = 0
  while (offset < archive.length && archive[offset] !== 0) {
    const header = archive.subarray(offset, offset + 512)
    const field = (start: number, end: number) => header.toString("utf8", start, end).replace(/\0.*$/s, "").trim()
    const size = Number.parseInt(field(124, 136), 8)
    const path = join(folder, field(0, 100))
    if (field(156, 157) === "5") mkdirSync(path, { recursive: true })
    else {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, archive.subarray(offset + 512, offset + 512 + size), {
        mode: Number.parseInt(field(100, 108), 8)
      })
    }
    offset += 512 + Math.ceil(size / 512) * 512
  }
}

/** Open Sans of the package for all text, and fonts of the machine, where there are, for what it lacks. */
const fontConfiguration = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, "fonts")}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, "fonts-cache")}</cachedir>
  <match target="pattern">
    <test name="family"><string>system-ui</string></test>
    <edit name="family" mode="assign"><string>Open Sans</string></edit>
  </match>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`

/**
 * The package unpacks its libraries on AWS and Vercel only, and its fonts' configuration names paths of AWS. Without
 * fonts all text has the width 0, and a test of the layout proves nothing.
 */
const unpackChromium = (): LaunchOptions => {
  // The package exports no file of it, so its entry shows where it is.
  const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium")
  const folder = entry.slice(0, entry.lastIndexOf(`${join("chromium", "build")}`) + "chromium".length)
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly version: string }
  const cache = join(root, "node_modules", ".cache")
  const target = join(cache, `chromium-${version}`)
  if (!existsSync(target)) {
    mkdirSync(cache, { recursive: true })
    const temporary = mkdtempSync(join(cache, "chromium-"))
    const read = (name: string) => brotliDecompressSync(readFileSync(join(folder, "bin", name)))
    writeFileSync(join(temporary, "chromium"), read("chromium.br"), { mode: 0o755 })
    for (const name of ["al2023", "fonts", "swiftshader"]) writeTar(read(`${name}.tar.br`), temporary)
    writeFileSync(join(temporary, "fonts.conf"), fontConfiguration(target))
    try {
      renameSync(temporary, target)
    } catch (cause) {
      // Another run has unpacked it meanwhile.
      rmSync(temporary, { recursive: true, force: true })
      if (!existsSync(target)) throw cause
    }
  }
  return {
    executablePath: join(target, "chromium"),
    env: { ...process.env, LD_LIBRARY_PATH: join(target, "lib"), FONTCONFIG_PATH: target }
  }
}

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

const findInstalled = (): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path))

const findChromium = (): LaunchOptions => {
  const executablePath = process.env["WIELD_BROWSER"] ?? findInstalled()
  if (executablePath !== undefined) return { executablePath }
  return process.platform === "linux" && process.arch === "x64" ? unpackChromium() : { channel: "chrome" }
}

/** Root may not use namespaces everywhere, and Chromium's sandbox needs them. */
const hasSandbox = (): boolean =>
  process.getuid?.() !== 0 && spawnSync("unshare", ["--user", "true"], { stdio: "ignore" }).status === 0

/** Starts the browser that all tests of a run share. Its own flags only: others would switch off what tests prove. */
export const startChromium = (): Promise<BrowserServer> =>
  chromium.launchServer({
    ...findChromium(),
    host: "127.0.0.1",
    chromiumSandbox: hasSandbox(),
    args: ["--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none"]
  })
