import { describe, expect, it } from "vitest"
import { median, orderOfRound, pairedMedianRatio, ratioOfMinima, summarise } from "./statistics.js"

describe("statistics of the bench", () => {
  it("gives the minimum, median and maximum whatever the order of the samples", () => {
    expect(summarise([5, 1, 9, 3, 7])).toEqual({ minimum: 1, median: 5, maximum: 9 })
  })

  it("takes the mean of the middle two of an even number of samples", () => {
    expect(median([10, 1, 4, 2])).toBe(3)
  })

  it("sorts numbers as numbers", () => {
    expect(median([100, 9, 20])).toBe(20)
  })

  it("leaves the samples in their order", () => {
    const samples = [3, 1, 2]
    summarise(samples)
    expect(samples).toEqual([3, 1, 2])
  })

  it("compares the fastest samples, whichever rounds they are of", () => {
    expect(ratioOfMinima([30, 12, 40], [4, 8, 6])).toBe(3)
  })

  it("compares samples with those of the same round, so that a slow phase of both cancels out", () => {
    const reference = [10, 100, 10, 20, 10]
    const samples = [20, 200, 30, 40, 20]
    expect(pairedMedianRatio(samples, reference)).toBe(2)
    expect(summarise(samples).median / summarise(reference).median).toBe(3)
  })

  it("refuses to pair rounds that are not the same number", () => {
    expect(() => pairedMedianRatio([1, 2], [1])).toThrow("2 samples cannot be paired with 1")
  })

  it("refuses to summarise nothing", () => {
    expect(() => summarise([])).toThrow("there are no samples")
    expect(() => median([])).toThrow("there are no samples")
  })

  it("reverses the order every second round", () => {
    const contenders = ["a", "b", "c"]
    expect([0, 1, 2, 3].map((round) => orderOfRound(contenders, round).join(""))).toEqual(["abc", "cba", "abc", "cba"])
    expect(contenders).toEqual(["a", "b", "c"])
  })
})
