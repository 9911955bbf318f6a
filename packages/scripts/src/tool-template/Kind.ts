/** What a model is asked to write: a file of Python functions, or a script. */
import type { Language } from "../Script.js"

export type Kind = "function-file" | Language

interface Naming {
  readonly extension: string
  /** How a code block is marked. */
  readonly mark: string
  readonly title: string
}

export const namings: { readonly [kind in Kind]: Naming } = {
  "function-file": { extension: ".py", mark: "python", title: "a Python file of functions" },
  python: { extension: ".py", mark: "python", title: "a Python script" },
  bash: { extension: ".sh", mark: "bash", title: "a Bash script" },
  typescript: { extension: ".ts", mark: "typescript", title: "a TypeScript module" },
  javascript: { extension: ".mjs", mark: "javascript", title: "a JavaScript module" }
}
