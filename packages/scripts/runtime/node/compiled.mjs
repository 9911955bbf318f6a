/** Scripts that were compiled: each call may have an instance of its own. */
import { dirname } from "node:path"
import { asWritten } from "./asWritten.mjs"
import { Instance } from "./instance.mjs"
import { Modules, useQuietly } from "./modules.mjs"
import { nameFailure } from "./result.mjs"
import { installStacks, placeOf } from "./stack.mjs"

export const loadCompiled = async ({ files, modules: compiled }) => {
  installStacks(compiled)
  await useQuietly()
  const modules = new Modules(compiled)
  const loaded = new Map()
  for (const { file, functions, main } of files) {
    const folder = dirname(main)
    const explain = (error) => {
      const { detail, error: name } = nameFailure(error)
      const place = placeOf(error)
      const text = `${detail}${place === undefined ? "" : ` (${place})`}`
      return { error: name, detail: asWritten(text, folder) }
    }
    let failure
    try {
      await modules.prepare(main)
    } catch (error) {
      failure = explain(error)
    }
    let kept
    const evaluate = (isKept) => {
      if (!isKept) return new Instance(modules).evaluate(main)
      kept ??= new Instance(modules)
      return kept.evaluate(main)
    }
    const byName = Object.assign(Object.create(null), functions)
    loaded.set(file, { failure, functions: parametersOf(byName), folder, evaluate, explain })
  }
  return loaded
}

/** What a parameter is given that is absent: JSON cannot say undefined. */
export const parametersOf = (functions) => {
  const made = Object.create(null)
  for (const [name, { parameters, passing }] of Object.entries(functions)) {
    made[name] = {
      passing,
      parameters: parameters.map((parameter) => ({
        name: parameter.name,
        absent: parameter.isNullWhenAbsent ? null : undefined
      }))
    }
  }
  return made
}
