/**
 * The objects of the language. What a call adds to them is removed again; one
 * that has lost or changed something may have been used changed by anything, so
 * the process is not used again.
 */

/** Of these, what scripts set in good faith is restored. */
const restored = new Set(["prepareStackTrace", "stackTraceLimit"])

const generator = function* () {}
const asyncGenerator = async function* () {}

const objects = () => {
  const constructors = [
    Object,
    Function,
    Array,
    String,
    Number,
    Boolean,
    Symbol,
    BigInt,
    Promise,
    Map,
    Set,
    WeakMap,
    WeakSet,
    WeakRef,
    RegExp,
    Date,
    Error,
    TypeError,
    RangeError,
    SyntaxError,
    ReferenceError,
    EvalError,
    URIError,
    AggregateError,
    ArrayBuffer,
    SharedArrayBuffer,
    DataView,
    Uint8Array,
    Object.getPrototypeOf(Uint8Array),
    Buffer,
    Proxy,
    URL,
    URLSearchParams,
    TextEncoder,
    TextDecoder,
    AbortController,
    AbortSignal,
    Event,
    EventTarget,
    (async () => {}).constructor,
    generator.constructor,
    asyncGenerator.constructor
  ]
  const namespaces = [JSON, Math, Reflect, Atomics, Intl]
  const iterators = [
    [][Symbol.iterator](),
    new Map().entries(),
    new Set().values(),
    ""[Symbol.iterator](),
    generator(),
    asyncGenerator()
  ]
  const prototypes = iterators.flatMap((iterator) => {
    const prototype = Object.getPrototypeOf(iterator)
    return [prototype, Object.getPrototypeOf(prototype)]
  })
  const all = [...constructors, ...constructors.map(({ prototype }) => prototype), ...namespaces, ...prototypes]
  return [...new Set(all.filter((object) => object !== undefined && object !== null))]
}

export class Intrinsics {
  #objects = objects().map((object) => {
    const keys = Reflect.ownKeys(object)
    const data = []
    const accessors = []
    for (const key of keys) {
      const descriptor = Reflect.getOwnPropertyDescriptor(object, key)
      if (object === Error && restored.has(key)) continue
      if ("value" in descriptor) data.push([key, descriptor.value])
      else accessors.push([key, descriptor])
    }
    return { object, prototype: Object.getPrototypeOf(object), keys: new Set(keys), data, accessors }
  })
  #limit = Error.stackTraceLimit
  #prepare = Error.prepareStackTrace

  /** Whether nothing was lost or changed. */
  areWhole() {
    for (const { accessors, data, object, prototype } of this.#objects) {
      for (let index = 0; index < data.length; index++) {
        const [key, value] = data[index]
        if (!Object.is(object[key], value)) return false
      }
      for (const [key, before] of accessors) {
        const descriptor = Reflect.getOwnPropertyDescriptor(object, key)
        if (descriptor?.get !== before.get || descriptor?.set !== before.set) return false
      }
      if (Object.getPrototypeOf(object) !== prototype) return false
    }
    return true
  }

  /** Removes what was added; whether all of it could be. */
  restore() {
    if (Error.stackTraceLimit !== this.#limit) Error.stackTraceLimit = this.#limit
    if (Error.prepareStackTrace !== this.#prepare) Error.prepareStackTrace = this.#prepare
    for (const { keys, object } of this.#objects) {
      const now = Reflect.ownKeys(object)
      if (now.length === keys.size) continue
      for (const key of now) {
        if (!keys.has(key) && !Reflect.deleteProperty(object, key)) return false
      }
    }
    return true
  }
}
