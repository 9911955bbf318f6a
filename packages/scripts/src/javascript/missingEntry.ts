/** Why a file has no tool, as far as it can be guessed. */
import type { Export } from "./exported.js"
import { moduleKindOfSyntax } from "./moduleKind.js"
import { type Reading, report } from "./reading.js"

export const missingEntry = (reading: Reading, exports: ReadonlyArray<Export>): void => {
  const { source, sourceFile, typescript } = reading
  const name = source.kind === "tool" ? "run" : undefined
  const hidden = sourceFile.statements.find(
    (statement) =>
      typescript.isFunctionDeclaration(statement) &&
      statement.name !== undefined &&
      (name === undefined ? !statement.name.text.startsWith("_") : statement.name.text === name)
  )
  const isCommonJs =
    reading.language === "javascript" &&
    (/\.cjs$/i.test(source.file) ||
      (!/\.mjs$/i.test(source.file) && moduleKindOfSyntax(typescript, sourceFile) === "commonjs"))
  const asDefault = exports.find((one) => one.name === "default")
  const message =
    name === undefined
      ? `exports no function that could be a tool: write \`${isCommonJs ? "exports.name = …" : "export function name(…)"}\`, with a name that does not begin with _`
      : hidden !== undefined
        ? `run is not exported: write \`${isCommonJs ? "exports.run = run" : "export function run(…)"}\``
        : asDefault !== undefined
          ? "what is exported by default has no name: write `export function run(…)`"
          : `exports no function run${seen(exports)}: write \`${isCommonJs ? "exports.run = …" : "export function run(…)"}\``
  report(reading, "error", "no-entry", hidden ?? asDefault?.node, name, message)
}

const seen = (exports: ReadonlyArray<Export>): string =>
  exports.length === 0 ? "" : ` (it exports ${exports.map(({ name }) => name).join(", ")})`
