/**
 * Arguments as the full schema means them, after a strict dialect made every
 * property required: `null` stands for an absent optional parameter and is
 * taken away again.
 */
import type { Fields } from "../internal/wireField.js"
import { restoreValue } from "./restoreValue.js"

/**
 * The value without the nulls of absent optional parameters; the same value if
 * there are none. A null that the full schema accepts is kept: there the model
 * may have meant it.
 */
export const restoreOptional = (document: Fields, value: unknown): unknown => restoreValue(document, value)
