import { it, makeMethods } from "@effect/vitest"
import { FastCheck } from "effect"
import { inject } from "vitest"
import { runs } from "./sizes.js"

// `layer` of @effect/vitest 0.30 puts methods that provide its layer onto the `it` that all files of a process share,
// and leaves them there. Each file begins with the methods that provide nothing.
makeMethods(it)

process.env["TMPDIR"] = inject("temporary")

// Properties try the same values each time, so that a verdict is the change's. `WIELD_SEED` tries others.
const seed = Number(process.env["WIELD_SEED"] ?? 20_260)
FastCheck.configureGlobal({ numRuns: runs(100), seed })
