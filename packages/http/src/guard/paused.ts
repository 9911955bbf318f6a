/**
 * undici 7 ends the whole program where a server ends a connection of which not all is read yet, and the answer has no
 * length: its parser, which has paused, refuses to end (nodejs/undici#5360). Version 8 goes on first, as this does,
 * but does not run in Node 20.
 */
import type { Socket } from "node:net"

/** What undici keeps with its socket. */
interface Parser {
  paused: boolean
  readonly ptr: number
  readonly llhttp: { readonly llhttp_resume: (ptr: number) => void }
  readonly execute: (data: Uint8Array) => void
}

/** Has what is paused go on when the connection ends. undici's own listeners come after these. */
export const resumeAtEnd = (socket: Socket): void => {
  for (const event of ["end", "error", "close"]) socket.on(event, () => resume(socket))
}

const resume = (socket: Socket): void => {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === "parser")
  // It is what undici of the version that this package names puts there, or `null` after it.
  const parser = (key === undefined ? undefined : Reflect.get(socket, key)) as Parser | null | undefined
  if (!parser) return
  const goOn = (): void => {
    parser.llhttp.llhttp_resume(parser.ptr)
    parser.paused = false
  }
  // What is left of the answer, which its body takes in whatever of it is unread.
  for (let isMore = true; parser.paused && isMore;) {
    goOn()
    const data: Buffer | null = socket.read()
    isMore = data !== null
    parser.execute(data ?? new Uint8Array())
  }
  // An answer without a length pauses again, and ends by what undici does next.
  if (parser.paused) goOn()
}
