/** What an editor shows of programs, and what the compiler does for them. */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** What an editor shows of one program. A text stands for its first occurrence there. */
export interface Editor {
  /** The names that are proposed at the end of the text. */
  readonly completionsAfter: (text: string) => ReadonlyArray<string>
  /** What it shows of the name at the beginning of the text. */
  readonly hoverAt: (text: string) => string
  /** What checking the program costs beyond what was checked before. Throws where it has a mistake; checks it once. */
  readonly check: () => Cost
}

/** Neither depends on how busy the machine is. */
export interface Cost {
  readonly instantiations: number
  /** Types are what a compiler's memory goes into. */
  readonly types: number
}

/** What `tsc --extendedDiagnostics` prints; the compiler's own types leave it out. */
interface Counting extends ts.Program {
  readonly getInstantiationCount: () => number
  readonly getTypeCount: () => number
}

/** Opens programs by the settings of this repository; all of them share what they import. */
export const openEditor = (programs: ReadonlyArray<string>): ReadonlyArray<Editor> => {
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root)
  // Packages are found from here.
  const files = new Map(programs.map((program, index) => [join(root, "test/compiler", `program${index}.ts`), program]))
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ ...options, noEmit: true, plugins: [] }),
    getScriptFileNames: () => [...files.keys()],
    getScriptVersion: () => "1",
    getScriptSnapshot: (file) => {
      const text = files.get(file) ?? ts.sys.readFile(file)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (file) => files.has(file) || ts.sys.fileExists(file),
    readFile: (file) => files.get(file) ?? ts.sys.readFile(file),
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    ...(ts.sys.realpath === undefined ? {} : { realpath: ts.sys.realpath })
  })
  // Reads all files.
  service.getProgram()
  return [...files].map(([file, program]) => {
    const placeOf = (text: string): number => {
      const place = program.indexOf(text)
      if (place < 0) throw new Error(`The program has no ${text}`)
      return place
    }
    return {
      completionsAfter: (text) =>
        (service.getCompletionsAtPosition(file, placeOf(text) + text.length, {})?.entries ?? []).map(
          ({ name }) => name
        ),
      hoverAt: (text) => ts.displayPartsToString(service.getQuickInfoAtPosition(file, placeOf(text))?.displayParts),
      check: () => {
        const opened = service.getProgram() as Counting
        const [instantiations, types] = [opened.getInstantiationCount(), opened.getTypeCount()]
        const [problem] = service.getSemanticDiagnostics(file)
        if (problem !== undefined) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, "\n"))
        return {
          instantiations: opened.getInstantiationCount() - instantiations,
          types: opened.getTypeCount() - types
        }
      }
    }
  })
}
