/**
 * What of a folder that was read whole is visible, as if it had been read so.
 */
import { enable } from "./assemble.js"
import { languageOf, nameOf } from "./languages.js"
import { faultOf } from "./list.js"
import type { ScriptFolder } from "./ScriptFolder.js"
import type { Selection } from "./Selection.js"

export const applyToFolder = (folder: ScriptFolder, selection: Selection): ScriptFolder => {
  const { visibleTools } = selection
  if (visibleTools === undefined) return enable(folder, selection)
  const isVisible = ({ file }: { readonly file: string }) => visibleTools.includes(nameOf(file))
  // A problem of the folder as a whole is of no script.
  const ofScripts = folder.problems.filter(({ file }) => languageOf(file) !== undefined)
  const others = folder.problems.filter((problem) => !ofScripts.includes(problem))
  const names = [...new Set([...folder.scripts, ...ofScripts].map(({ file }) => nameOf(file)))]
  const missing = visibleTools.flatMap((name) => faultOf(`${folder.folder}/${name}`, name, names, names))
  return enable(
    {
      ...folder,
      scripts: folder.scripts.filter(isVisible),
      problems: [...others, ...ofScripts.filter(isVisible), ...missing]
    },
    selection,
    names.filter((name) => !visibleTools.includes(name))
  )
}
