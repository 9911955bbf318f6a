/** What the compiler says of programs, for tests of the messages that a mistake leads to. */
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const root = join(dirname(fileURLToPath(import.meta.url)), "../..")

/**
 * The messages for each of these texts, with the preamble before it, as files of
 * this folder of the repository. All are checked in one program, since a program
 * takes seconds.
 */
export const messagesOf = (folder: string, preamble: string, texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { config } = ts.readConfigFile(join(root, "tsconfig.check.json"), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root)
  const files = new Map(
    texts.map((text, index) => [join(root, folder, `mistake${index}.ts`), `${preamble}\n${text}\n`])
  )
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile, readFile } = host
  host.fileExists = (name) => files.has(name) || fileExists(name)
  host.readFile = (name) => files.get(name) ?? readFile(name)
  host.getSourceFile = (name, languageVersion, ...rest) => {
    const text = files.get(name)
    return text === undefined
      ? getSourceFile(name, languageVersion, ...rest)
      : ts.createSourceFile(name, text, languageVersion)
  }
  const program = ts.createProgram([...files.keys()], { ...options, noUnusedLocals: false }, host)
  return [...files.keys()].map((name) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(name))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
      .join("\n")
  )
}
