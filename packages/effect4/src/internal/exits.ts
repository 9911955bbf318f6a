/** Causes and exits of Effect 4 in Effect 3, and back. Which fiber interrupted, and what ran beside what, is lost. */
import { Cause as Cause3, Chunk as Chunk3, Exit as Exit3, FiberId as FiberId3 } from "@wield/effect3"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"

export const toCause3 = <E>(cause: Cause.Cause<E>): Cause3.Cause<E> =>
  cause.reasons
    .map((reason): Cause3.Cause<E> =>
      Cause.isFailReason(reason)
        ? Cause3.fail(reason.error)
        : Cause.isDieReason(reason)
          ? Cause3.die(reason.defect)
          : Cause3.interrupt(FiberId3.none)
    )
    .reduce<Cause3.Cause<E>>((all, one) => (Cause3.isEmpty(all) ? one : Cause3.parallel(all, one)), Cause3.empty)

export const fromCause3 = <E>(cause: Cause3.Cause<E>): Cause.Cause<E> =>
  Cause.fromReasons<E>([
    ...Chunk3.map(Cause3.failures(cause), Cause.makeFailReason),
    ...Chunk3.map(Cause3.defects(cause), Cause.makeDieReason),
    ...(Cause3.isInterrupted(cause) ? [Cause.makeInterruptReason()] : [])
  ])

export const toExit3 = <A, E>(exit: Exit.Exit<A, E>): Exit3.Exit<A, E> =>
  Exit.isSuccess(exit) ? Exit3.succeed(exit.value) : Exit3.failCause(toCause3(exit.cause))

export const fromExit3 = <A, E>(exit: Exit3.Exit<A, E>): Exit.Exit<A, E> =>
  Exit3.isSuccess(exit) ? Exit.succeed(exit.value) : Exit.failCause(fromCause3(exit.cause))
