/** The compiled modules of a script, and what of them is common to all instances: code, and modules of Node and of packages. */
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { pathToFileURL } from "node:url"
import * as vm from "node:vm"

const importModuleDynamically = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER

/** Node 20 warns of the first use; a script has nothing to do with it. */
export const useQuietly = async () => {
  const { emitWarning } = process
  process.emitWarning = () => {}
  await new vm.Script(`import("node:path")`, { importModuleDynamically }).runInThisContext()
  process.emitWarning = emitWarning
}

export class Modules {
  #modules = new Map()
  #factories = new Map()
  #importers = new Map()
  #natives = new Map()
  #requires = new Map()
  #prepared = new Map()

  constructor(modules) {
    for (const module of modules) {
      this.#modules.set(module.file, {
        ...module,
        id: module.file,
        url: pathToFileURL(module.file).href,
        links: new Map(Object.entries(module.links))
      })
    }
  }

  get(id) {
    return this.#modules.get(id)
  }

  /** The module that a path is of, where it is one of these. */
  known(path) {
    return path !== undefined && this.#modules.has(path) ? path : undefined
  }

  /** The module that an import by relative path is of; absent where Node has to find it. */
  linked(module, specifier) {
    return module.links.get(specifier)
  }

  target(module, specifier) {
    const id = this.linked(module, specifier)
    return id === undefined ? { namespace: this.#natives.get(keyOf(module, specifier)) } : { id }
  }

  /** The function that a module's code is, compiled when it is first needed. */
  factory(module) {
    const existing = this.#factories.get(module.id)
    if (existing !== undefined) return existing
    const factory =
      module.kind === "commonjs"
        ? vm.compileFunction(module.code, ["exports", "require", "module", "__filename", "__dirname"], {
            filename: module.id,
            importModuleDynamically
          })
        : new vm.Script(`(function (System, require, __filename, __dirname) { ${module.code}\n})`, {
            filename: module.url,
            importModuleDynamically
          }).runInThisContext()
    this.#factories.set(module.id, factory)
    return factory
  }

  /** Compiles a module and what it imports statically, and imports what is not among these modules. */
  prepare(id) {
    const existing = this.#prepared.get(id)
    if (existing !== undefined) return existing
    const prepared = this.#prepare(id)
    this.#prepared.set(id, prepared)
    // Whoever imports the module tells of the failure.
    prepared.catch(() => {})
    return prepared
  }

  /** Making one takes longer than most calls. */
  nativeRequire(module) {
    const existing = this.#requires.get(module.id)
    if (existing !== undefined) return existing
    const require = createRequire(module.id)
    this.#requires.set(module.id, require)
    return require
  }

  importNative(module, specifier) {
    const folder = dirname(module.id)
    const existing = this.#importers.get(folder)
    if (existing !== undefined) return existing(specifier)
    // import() finds packages from the file that its code is said to be of.
    const importer = new vm.Script("(specifier) => import(specifier)", {
      filename: module.url,
      importModuleDynamically
    }).runInThisContext()
    this.#importers.set(folder, importer)
    return importer(specifier)
  }

  async #prepare(id) {
    const foreign = []
    const visited = new Set()
    const visit = (next) => {
      if (visited.has(next)) return
      visited.add(next)
      const module = this.#modules.get(next)
      for (const specifier of this.#importsOf(module)) {
        const linked = this.linked(module, specifier)
        if (linked === undefined) foreign.push([module, specifier])
        else visit(linked)
      }
    }
    visit(id)
    for (const [module, specifier] of foreign) {
      const key = keyOf(module, specifier)
      if (!this.#natives.has(key)) this.#natives.set(key, await this.importNative(module, specifier))
    }
  }

  /** What a module imports statically, as its compiled code registers it. */
  #importsOf(module) {
    if (module.problem !== undefined) throw new SyntaxError(module.problem)
    if (module.kind === "json") {
      JSON.parse(module.code)
      return []
    }
    const factory = this.factory(module)
    if (module.kind === "commonjs") return []
    let imports = []
    factory({ register: (specifiers) => (imports = specifiers) })
    return imports
  }
}

const keyOf = (module, specifier) => `${module.id}\0${specifier}`
