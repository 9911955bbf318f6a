/** Bodies and bytes with a few things wrong, the same in every run. */

/** Integers from 0 up to a bound. */
export type Random = (below: number) => number

const oddities: ReadonlyArray<() => unknown> = [
  () => null,
  () => "",
  () => "text",
  () => 0,
  () => -1,
  () => 1e308,
  () => Number.MAX_SAFE_INTEGER + 2,
  () => 0.1,
  () => true,
  () => [],
  () => [null],
  () => [[]],
  () => ({}),
  () => ({ type: "text" }),
  () => ({ ["__proto__"]: 1, constructor: null, toString: "x" }),
  () => "__proto__",
  () => "\ud800",
  () => "{",
  () => '{"a":null}',
  () => "x".repeat(5000),
  () => deep(300)
]

const deep = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

type Place = readonly [holder: object, key: string]

const placesOf = (value: unknown): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  const rest: Array<unknown> = [value]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next !== "object" || next === null) continue
    for (const [key, inner] of Object.entries(next)) {
      places.push([next, key])
      if (typeof inner === "object" && inner !== null) rest.push(inner)
    }
  }
  return places
}

/** A copy in which one to four places hold something else, something of another place, or nothing. */
export const mutateJson = (value: unknown, random: Random): unknown => {
  // A whole body of another type is a case of its own.
  if (random(40) === 0) return pick(oddities, random)?.()
  const copy: unknown = structuredClone(value)
  for (let count = 1 + random(4); count > 0; count--) {
    const places = placesOf(copy)
    const place = pick(places, random)
    if (place === undefined) continue
    const [holder, key] = place
    switch (random(5)) {
      case 0:
        // A list with a hole is no JSON.
        if (Array.isArray(holder)) holder.splice(Number(key), 1)
        else Reflect.deleteProperty(holder, key)
        break
      case 1: {
        const other = pick(places, random)
        Reflect.set(holder, key, structuredClone(other === undefined ? null : Reflect.get(...other)))
        break
      }
      case 2:
        if (Array.isArray(holder)) holder.push(structuredClone(Reflect.get(holder, key)))
        else Reflect.set(holder, `${key}_`, Reflect.get(holder, key))
        break
      default:
        Reflect.set(holder, key, pick(oddities, random)?.())
    }
  }
  return copy
}

export const pick = <A>(list: ReadonlyArray<A>, random: Random): A | undefined => list[random(list.length)]

/** A copy with bytes flipped, left out, doubled or put in, or with its end cut off. */
export const mutateBytes = (bytes: Uint8Array, random: Random): Uint8Array => {
  let out = Uint8Array.from(bytes)
  for (let count = 1 + random(3); count > 0; count--) {
    const from = random(out.length + 1)
    const to = Math.min(out.length, from + random(40))
    switch (random(5)) {
      case 0:
        out = out.slice(0, from)
        break
      case 1:
        out = joined(out.subarray(0, from), out.subarray(to))
        break
      case 2:
        out = joined(out.subarray(0, to), out.subarray(from))
        break
      case 3:
        out = joined(
          out.subarray(0, from),
          Uint8Array.from({ length: 1 + random(8) }, () => random(256)),
          out.subarray(from)
        )
        break
      default:
        if (out.length > 0) out[random(out.length)]! ^= 1 << random(8)
    }
  }
  return out
}

const joined = (...pieces: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.concat(pieces))

/** A streamed text with the JSON of one of its lines mutated. */
export const mutateLine = (bytes: Uint8Array, random: Random): Uint8Array => {
  const lines = new TextDecoder().decode(bytes).split("\n")
  const at = random(lines.length)
  const [, prefix = "", json = ""] = /^(data: ?)?(\{.*\})\s*$/.exec(lines[at] ?? "") ?? []
  try {
    if (json !== "") lines[at] = prefix + JSON.stringify(mutateJson(JSON.parse(json), random))
  } catch {
    // A line that is no JSON stays as it is.
  }
  return new TextEncoder().encode(lines.join("\n"))
}

export const cutAnywhere = (bytes: Uint8Array, random: Random): ReadonlyArray<Uint8Array> => {
  const places = Array.from({ length: random(6) }, () => random(bytes.length + 1)).sort((left, right) => left - right)
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
}
