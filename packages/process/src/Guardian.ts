/**
 * Ends programs when this process is killed. No finalizer runs then, and an
 * endless loop would never end.
 *
 * The guardian is a shell that waits for the end of its standard input, which
 * the end of this process brings. It finds programs by `/proc`, so it exists on
 * Linux only.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn, type ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import { isAbsolute } from "node:path"
import { check, type Kind } from "./internal/check.js"
import { isLinux } from "./ProcessTable.js"

/** The variable in the environment of all that is guarded. */
const variable = "WIELD_GUARDED"

/**
 * $1 is the variable of its processes, $2 the temporary folder. A line on
 * standard input is the good end. It ignores signals that a terminal sends to all.
 */
const watch = `
trap '' HUP INT TERM
read -r _ && exit 0
rounds=0
while [ $rounds -lt 200 ]; do
  found=$(grep -lzxF "$1" /proc/[0-9]*/environ 2>/dev/null)
  [ -z "$found" ] && break
  for file in $found; do
    pid=\${file#/proc/}
    kill -9 "\${pid%/environ}" 2>/dev/null
  done
  rounds=$((rounds + 1))
done
rm -rf -- "$2"
`

/** @category models */
export interface Guardian {
  /** Variables that a program is to be started with. The first call starts the guardian. */
  readonly variables: () => { readonly [name: string]: string }
}

/**
 * A guardian of the programs that are started with its variables. When this
 * process is killed, it kills them and removes `folder`.
 *
 * @category constructors
 */
export const make = (folder: string): Effect.Effect<Guardian, never, Scope.Scope> =>
  Effect.gen(function* () {
    check("The folder of Guardian", aFolder, folder)
    if (!isLinux) return { variables: () => ({}) }
    const id = randomBytes(12).toString("hex")
    let child: ChildProcess | undefined
    yield* Effect.addFinalizer(() => (child === undefined ? Effect.void : end(child)))
    return {
      variables: () => {
        child ??= startGuardian(`${variable}=${id}`, folder)
        return { [variable]: id }
      }
    }
  })

/** It is removed with all that is in it, and the guardian stands in the root of all. */
const aFolder: Kind = {
  expected: "an absolute path",
  isRight: (given) => typeof given === "string" && isAbsolute(given)
}

const startGuardian = (assignment: string, folder: string): ChildProcess => {
  const child = spawn("/bin/sh", ["-c", watch, "sh", assignment, folder], {
    // A signal to the group of this process must not end it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
    cwd: "/"
  })
  // Without a shell there is no guardian; everything else works.
  child.on("error", () => undefined)
  child.stdin?.on("error", () => undefined)
  child.unref()
  // This process may end while the guardian waits.
  if (child.stdin !== null && "unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref()
  return child
}

const end = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.ref()
    child.once("exit", () => resume(Effect.void))
    child.stdin?.end("done\n")
  })
