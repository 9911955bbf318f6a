/**
 * Whether a value is JSON as it stands, of literals alone; where it may lack something, `undefined` is JSON too. Nothing
 * is made: this is asked for each result. Throws where a getter does, and a `RangeError` for what contains itself.
 */
export const isJson = (value: unknown, mayLack: boolean): boolean => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true
    case "undefined":
      return mayLack
    case "number":
      return Number.isFinite(value)
    case "object": {
      if (value === null) return true
      if (Array.isArray(value)) {
        for (const item of value) if (!isJson(item, mayLack)) return false
        return true
      }
      const prototype: unknown = Object.getPrototypeOf(value)
      if (prototype !== Object.prototype && prototype !== null) return false
      // What is left is an object.
      for (const key in value) if (!isJson((value as { readonly [key: string]: unknown })[key], mayLack)) return false
      return true
    }
    default:
      return false
  }
}
