/**
 * TypeScript's compiler. Were it imported as a module, Node would search its nine megabytes for the names of what it
 * exports, which takes longer than to load it.
 */
import { createRequire } from "node:module"
import type TS from "typescript"

// What the module gives to `require` is what its types say.
export const ts = createRequire(import.meta.url)("typescript") as typeof TS
