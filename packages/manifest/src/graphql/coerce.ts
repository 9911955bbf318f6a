/**
 * Values as the scalars of GraphQL take them. A parameter's JSON Schema may be
 * looser than the variable's type (an id that is a number, a number in a text);
 * what has no exact counterpart is left as it is, for the API to refuse.
 */
export const coerceNamed = (value: unknown, type: string): unknown => {
  switch (type) {
    case "Int":
      return typeof value === "string" && /^[+-]?\d{1,15}$/.test(value) ? Number(value) : value
    case "Float":
      return typeof value === "string" && /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value) ? finite(value) : value
    case "Boolean":
      return value === "true" ? true : value === "false" ? false : value
    case "String":
      return typeof value === "number" || typeof value === "boolean" ? String(value) : value
    case "ID":
      return typeof value === "number" && Number.isInteger(value) ? BigInt(value).toString() : value
    default:
      return value
  }
}

const finite = (text: string): unknown => (Number.isFinite(Number(text)) ? Number(text) : text)
