import { expect, it } from "vitest"
import { disconnectAfterwards, findAxeProblems, openContext } from "./Browser.js"

disconnectAfterwards()

it("gives a page with layout and fonts, and axe finds what is wrong with it", async () => {
  const context = await openContext()
  try {
    const page = await context.newPage()
    await page.setContent(`<html lang="en"><title>t</title><main><h1>Text</h1><button></button></main></html>`)
    const box = await page.locator("h1").evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return range.getBoundingClientRect().width
    })
    expect(box).toBeGreaterThan(20)
    expect((await findAxeProblems(page)).map((problem) => problem.split(":")[0])).toEqual(["button-name"])
  } finally {
    await context.close()
  }
})
