import { afterEach, it, makeMethods } from "@effect/vitest"
import { FastCheck } from "effect"
import { runs } from "./sizes.js"

// `layer` of @effect/vitest 0.30 puts methods that provide its layer onto the `it` that all files of a process share,
// and leaves them there. Each file begins with the methods that provide nothing.
makeMethods(it)

// Properties that say no number of runs.
FastCheck.configureGlobal({ numRuns: runs(100) })

// Tests that wait for nothing would keep the worker from hearing the program that runs it, which ends in an error.
afterEach(() => new Promise<void>((resolve) => setImmediate(resolve)))
