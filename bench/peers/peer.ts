/** One library that does the task: argument text in, result text out. */
import { asynchronous, batched, type Contender, keep, synchronous } from "../harness/measure.js"

export type Call =
  | { readonly name: string; readonly isSynchronous: true; readonly call: () => string }
  | { readonly name: string; readonly isSynchronous: false; readonly call: () => Promise<string> }

/** One call after the other. */
export const oneByOne = (peer: Call): Contender =>
  peer.isSynchronous ? synchronous(peer.name, peer.call) : asynchronous(peer.name, peer.call)

/** So many calls that are begun together. */
export const together = (peer: Call, count: number): Contender =>
  peer.isSynchronous
    ? batched(
        peer.name,
        async () => peer.call(),
        (times) => {
          for (let time = 0; time < times * count; time++) keep(peer.call())
        },
        count
      )
    : batched(
        peer.name,
        peer.call,
        async (times) => {
          for (let time = 0; time < times; time++) {
            keep(await Promise.all(Array.from({ length: count }, () => peer.call())))
          }
        },
        count
      )
