/** What an editor shows of programs, for tests of completions. */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** What an editor shows of one program. A text stands for its first occurrence there. */
export interface Editor {
  /** The names that are proposed at the end of the text. */
  readonly completionsAfter: (text: string) => ReadonlyArray<string>
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
  return [...files].map(([file, program]) => {
    const placeOf = (text: string): number => {
      const place = program.indexOf(text)
      if (place < 0) throw new Error(`The program has no ${text}`)
      return place
    }
    return {
      completionsAfter: (text) =>
        (service.getCompletionsAtPosition(file, placeOf(text) + text.length, {})?.entries ?? []).map(({ name }) => name)
    }
  })
}
