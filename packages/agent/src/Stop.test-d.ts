import { describe, expectTypeOf, it } from "vitest"
import * as Stop from "./Stop.js"

describe("Stop", () => {
  it("a condition on a call knows the name that it waits for, through any and all", () => {
    const stop = Stop.any(Stop.steps(3), Stop.all(Stop.call("finish"), Stop.time("1 minute")), Stop.call("cancel"))
    expectTypeOf(stop).toEqualTypeOf<Stop.Stop<"finish" | "cancel">>()
    expectTypeOf(Stop.any(Stop.steps(3), Stop.tokens(10))).toEqualTypeOf<Stop.Stop<never>>()
  })

  it("a condition fits where all tools that it names are there", () => {
    const accept = (stop: Stop.Stop<"finish" | "search">): string => stop.name
    accept(Stop.steps(3))
    accept(Stop.call("finish"))
    // @ts-expect-error -- there is no such tool
    accept(Stop.call("finsh"))
    // @ts-expect-error -- nor within another condition
    accept(Stop.any(Stop.steps(3), Stop.call("finsh")))
  })

  it("there is no condition without a member", () => {
    // @ts-expect-error -- it would never be reached
    Stop.any()
    // @ts-expect-error -- it would be reached at once
    Stop.all()
  })
})
