/**
 * One instance of a script's modules: their top level has run once in it, and
 * their variables are its own. An instance is cheap: what it evaluates was
 * compiled before.
 */
import { isAbsolute, resolve, dirname } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

export class Instance {
  #modules
  #records = new Map()

  constructor(modules) {
    this.#modules = modules
  }

  /** The namespace of a module, evaluated: itself, or its promise where something in it awaits. */
  evaluate(id) {
    const record = this.#link(id)
    const pending = this.#run(record, new Set())
    return pending === undefined ? record.namespace : pending.then(() => record.namespace)
  }

  #link(id) {
    const existing = this.#records.get(id)
    if (existing !== undefined) return existing
    const module = this.#modules.get(id)
    const record = {
      namespace: namespaceOf(),
      dependencies: [],
      importers: [],
      execute: undefined,
      isStarted: false,
      isDone: false,
      pending: undefined,
      failure: undefined,
      exports: undefined
    }
    this.#records.set(id, record)
    if (module.kind === "json") {
      const value = JSON.parse(module.code)
      Object.assign(record.namespace, { ...(isRecord(value) ? value : {}), default: value })
      record.exports = value
      record.isStarted = record.isDone = true
    } else if (module.kind === "commonjs") {
      record.execute = () => this.#executeCommonJs(module, record)
    } else {
      this.#declare(module, record)
    }
    return record
  }

  #declare(module, record) {
    const register = (specifiers, declare) => {
      const setters = []
      const update = () => {
        for (const importer of record.importers) importer(record.namespace)
      }
      const declared = declare(
        (name, value) => {
          if (typeof name === "object") Object.assign(record.namespace, name)
          else record.namespace[name] = value
          update()
          return value
        },
        { id: module.id, import: (specifier) => this.#import(module, specifier), meta: this.#meta(module) }
      )
      setters.push(...declared.setters)
      record.execute = declared.execute
      for (const [index, specifier] of specifiers.entries()) {
        const target = this.#modules.target(module, specifier)
        if (target.id === undefined) {
          setters[index](target.namespace)
          continue
        }
        const dependency = this.#link(target.id)
        record.dependencies.push(dependency)
        dependency.importers.push(setters[index])
        setters[index](dependency.namespace)
      }
    }
    this.#modules.factory(module)({ register }, this.#require(module), module.id, dirname(module.id))
  }

  /** Evaluates what a module imports, in order, then itself; a promise where something awaits. */
  #run(record, ancestors) {
    if (record.failure !== undefined) throw record.failure.error
    if (record.isDone || ancestors.has(record)) return undefined
    if (record.isStarted) return record.pending
    record.isStarted = true
    ancestors.add(record)
    const fail = (error) => {
      record.failure = { error }
      throw error
    }
    const done = () => {
      record.isDone = true
    }
    const next = (index) => {
      for (let position = index; position < record.dependencies.length; position++) {
        const pending = this.#run(record.dependencies[position], new Set(ancestors))
        if (pending !== undefined) return pending.then(() => next(position + 1))
      }
      const executed = record.execute()
      return executed instanceof Promise ? executed : undefined
    }
    try {
      const pending = next(0)
      if (pending === undefined) return done()
      record.pending = pending.then(done, fail)
      // Each importer waits for it and tells; where none is left that does, nothing is lost.
      record.pending.catch(() => {})
      return record.pending
    } catch (error) {
      return fail(error)
    }
  }

  #executeCommonJs(module, record) {
    const commonJs = { exports: {}, id: module.id, filename: module.id, loaded: false, children: [], paths: [] }
    record.commonJs = commonJs
    const require = this.#require(module)
    commonJs.require = require
    const { exports } = commonJs
    this.#modules.factory(module).call(exports, exports, require, commonJs, module.id, dirname(module.id))
    commonJs.loaded = true
    record.exports = commonJs.exports
    const names = isRecord(commonJs.exports) || typeof commonJs.exports === "function" ? commonJs.exports : {}
    const isCompiled = names.__esModule === true && "default" in names && module.isTypeScript
    Object.assign(record.namespace, names, { default: isCompiled ? names.default : commonJs.exports })
    for (const importer of record.importers) importer(record.namespace)
  }

  #require(module) {
    const require = (specifier) => {
      const id = this.#modules.linked(module, specifier)
      if (id === undefined) return this.#modules.nativeRequire(module)(specifier)
      const record = this.#link(id)
      // What requires itself in a circle sees what is exported so far.
      if (record.commonJs !== undefined) return record.commonJs.exports
      if (this.#run(record, new Set()) !== undefined) {
        throw new Error(`require() cannot load ${specifier}, for it awaits at its top level; use import() instead`)
      }
      return record.exports ?? record.namespace
    }
    require.resolve = (specifier, options) => this.#modules.nativeRequire(module).resolve(specifier, options)
    return require
  }

  async #import(module, specifier) {
    const text = String(specifier)
    const id = this.#modules.linked(module, text) ?? this.#modules.known(pathOf(module, text))
    if (id === undefined) return this.#modules.importNative(module, text)
    await this.#modules.prepare(id)
    return this.evaluate(id)
  }

  #meta(module) {
    const { url } = module
    return {
      dirname: dirname(module.id),
      filename: module.id,
      url,
      resolve: (specifier) => {
        if (/^(?:\.{0,2}\/|file:)/.test(specifier)) return new URL(specifier, url).href
        const found = this.#modules.nativeRequire(module).resolve(specifier)
        return isAbsolute(found) ? pathToFileURL(found).href : found
      }
    }
  }
}

/** Like a module's own: no prototype, and it says what it is. */
const namespaceOf = () => Object.defineProperty(Object.create(null), Symbol.toStringTag, { value: "Module" })

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value)

const pathOf = (module, specifier) => {
  if (specifier.startsWith("file:")) return fileURLToPath(specifier)
  return /^\.{0,2}\//.test(specifier) ? resolve(dirname(module.id), specifier) : undefined
}
