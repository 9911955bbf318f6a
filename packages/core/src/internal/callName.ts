/** What a call is called within its run: servers use an id again in another turn. */
export const nameOf = (turn: string | undefined, id: string): string => {
  if (turn !== undefined) return `turn:${turn.length}:${turn}:${id}`
  return id.startsWith("turn:") ? `turn::${id}` : id
}

/** The id in such a name. */
export const idIn = (name: string): string => {
  const [head = "", length = ""] = /^turn:(\d*):/.exec(name) ?? []
  return name.slice(head.length + (length === "" ? 0 : Number(length) + 1))
}
