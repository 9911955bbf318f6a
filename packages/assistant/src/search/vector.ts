/** Vectors as databases hold them: 32-bit floats, little end first, as libsql and every processor of today have them. */

/** libsql takes a `Buffer` only: at another view of bytes it ends the process. */
export const toBytes = (vector: ReadonlyArray<number>): Uint8Array => Buffer.from(Float32Array.from(vector).buffer)

/** What a database gives may stand anywhere in memory; floats must begin at a multiple of four. */
export const fromBytes = (bytes: Uint8Array): Float32Array => new Float32Array(new Uint8Array(bytes).buffer)

/** Between -1 and 1; 0 where one of them has no direction. */
export const cosine = (left: Float32Array, right: Float32Array, from = 0): number => {
  let product = 0
  let leftSquare = 0
  let rightSquare = 0
  for (let index = 0; index < left.length; index++) {
    const a = left[index] ?? 0
    const b = right[from + index] ?? 0
    product += a * b
    leftSquare += a * a
    rightSquare += b * b
  }
  const size = Math.sqrt(leftSquare * rightSquare)
  return size === 0 ? 0 : product / size
}
