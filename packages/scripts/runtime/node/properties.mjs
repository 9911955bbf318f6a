/** The own properties of an object, as they were. */
export class Properties {
  #object
  #isLeft
  #descriptors = new Map()

  constructor(object, isLeft = () => false) {
    this.#object = object
    this.#isLeft = isLeft
    for (const key of Reflect.ownKeys(object)) {
      if (!isLeft(key)) this.#descriptors.set(key, Reflect.getOwnPropertyDescriptor(object, key))
    }
  }

  /** Whether all of it could be restored. */
  restore() {
    const object = this.#object
    for (const key of Reflect.ownKeys(object)) {
      if (this.#descriptors.has(key) || this.#isLeft(key)) continue
      if (isOfNode(key)) {
        this.#descriptors.set(key, Reflect.getOwnPropertyDescriptor(object, key))
        continue
      }
      if (!Reflect.deleteProperty(object, key)) return false
    }
    for (const [key, before] of this.#descriptors) {
      const now = Reflect.getOwnPropertyDescriptor(object, key)
      if (now !== undefined && isSame(now, before)) continue
      if (!Reflect.defineProperty(object, key, before)) return false
    }
    return true
  }
}

/** The first `fetch` adds what it keeps its connections in to the global object, for good. */
const isOfNode = (key) => typeof key === "symbol" && key.description?.startsWith("undici.") === true

const isSame = (now, before) =>
  Object.is(now.value, before.value) &&
  now.get === before.get &&
  now.set === before.set &&
  now.writable === before.writable &&
  now.enumerable === before.enumerable &&
  now.configurable === before.configurable
