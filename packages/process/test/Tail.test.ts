import { expect, it } from "@effect/vitest"
import { Tail } from "@wield/process"

it("a tail is the last bytes from a whole character on, whatever the chunks", () => {
  const whole = Buffer.from(`${"é".repeat(5000)}x`)
  for (const size of [1, 7, 99, 100, 101, 199, 200, 201, 5000, 10_001]) {
    const tail = Tail.make(100)
    // As a pipe is read: each read overwrites what was read before.
    const buffer = Buffer.alloc(size)
    for (let at = 0; at < whole.length; at += size) tail.push(buffer.subarray(0, whole.copy(buffer, 0, at, at + size)))
    expect(tail.text()).toBe(`${"é".repeat(49)}x`)
    expect(tail.bytes()).toBe(10_001)
  }
})

it("a tail that was not cut off is all that was pushed", () => {
  const tail = Tail.make(10)
  expect(tail.text()).toBe("")
  tail.push(Buffer.from("é"))
  tail.push(Buffer.from("e"))
  expect(tail.text()).toBe("ée")
})
