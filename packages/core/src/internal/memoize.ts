/** A function that is asked once for each object, as long as that lives: what is cached by identity stays cached. */
export const memoize = <A extends object, B>(make: (value: A) => B): ((value: A) => B) => {
  const known = new WeakMap<A, B>()
  return (value) => {
    let made = known.get(value)
    if (made === undefined) known.set(value, (made = make(value)))
    return made
  }
}
