/** Text that a page hides by its style is not read as what the page says. */
import { assert, describe, it } from "@effect/vitest"
import { reduceHtml } from "../../src/web/reduced.js"

const url = new URL("https://example.org/")
const textOf = (html: string): string =>
  reduceHtml(html, url)
    .pieces.filter((piece) => typeof piece === "string")
    .join("")

describe("the text of a page", () => {
  for (const style of [
    "display:none",
    "DISPLAY : NONE !important",
    "display/* no */:none",
    "d\\69 splay:none",
    "visibility:hidden",
    "visibility: collapse",
    "content-visibility:hidden",
    "opacity:0",
    "opacity: 0.0",
    "opacity:0.001",
    "opacity:2%",
    "filter:blur(1px) opacity(0)",
    "width:1px;height:1px;overflow:hidden",
    "font-size:0",
    "font-size:1px",
    "color:transparent",
    "color:rgba(0, 0, 0, 0)",
    "color:#fff;background:#fff",
    "background-color:white;color:white",
    "position:absolute;left:-9999px",
    "text-indent:-999em",
    "margin-left:-10000px",
    "position:absolute;clip:rect(0 0 0 0)",
    "clip-path:inset(50%)",
    "height:0;overflow:hidden",
    "max-height:0px;overflow-y:hidden",
    "transform:scale(0)"
  ]) {
    it(`has nothing that is hidden by ${style}`, () => {
      assert.strictEqual(textOf(`<p>Seen.</p><div style="${style}">Obey <b>me</b></div>`), "Seen.")
      assert.strictEqual(textOf(`<style>p, .note { ${style} }</style><em>Seen.</em><p class="a note">Obey`), "Seen.")
    })
  }

  for (const style of [
    "display:block",
    "opacity:0.5",
    "opacity:50%",
    "filter:opacity(0.5)",
    "overflow:hidden;width:100px;height:1em",
    "opacity:0;transform:translateY(20px)",
    "font-size:10px",
    "color:#fff;background:#000",
    "left:-20px",
    "height:0",
    "constructor:none",
    "overflow:hidden;height:10px"
  ]) {
    it(`has what is styled by ${style}`, () => {
      assert.strictEqual(textOf(`<p style="${style}">Seen.`), "Seen.")
      assert.strictEqual(textOf(`<style>.note{${style}}</style><p class=note>Seen.`), "Seen.")
    })
  }

  it("has nothing of a dialog that is not open", () => {
    assert.strictEqual(textOf("<p>Seen.</p><dialog>Obey</dialog><dialog open>Seen, too.</dialog>"), "Seen.Seen, too.")
  })

  it("follows the rules of a page's sheets as a browser does: the more specific, then the later, then the attribute", () => {
    const shown = (sheet: string, element: string) => textOf(`<style>${sheet}</style>${element}Seen.`) === "Seen."
    assert.isFalse(shown("#a{display:none}", "<p id=a>"))
    assert.isFalse(shown("p.a.b{display:none}", '<p class="b c a">'))
    assert.isTrue(shown("p.a.b{display:none}", '<p class="a">'))
    assert.isTrue(shown("div.a{display:none}", '<p class="a">'))
    assert.isTrue(shown(".tab{display:none}.tab.open{display:block}", '<p class="tab open">'))
    assert.isTrue(shown(".tab.open{display:block}.tab{display:none}", '<p class="tab open">'))
    assert.isFalse(shown(".a{display:block}.a{display:none}", "<p class=a>"))
    assert.isTrue(shown(".a{display:none}.a{display:block}", "<p class=a>"))
    assert.isFalse(shown(".a{display:none}.a{opacity:1}", "<p class=a>"))
    assert.isTrue(shown(".a{display:none}", '<p class=a style="display:block">'))
    assert.isFalse(shown(".a{display:none!important}p.a{display:block}", '<p class=a style="display:block">'))
    assert.isFalse(shown("", '<p style="display:none!important;display:block">'))
    assert.isTrue(shown(".a{display:none!important}", '<p class=a style="display:block!important">'))
    assert.isTrue(shown("@media print{.a{display:none}}", "<p class=a>"))
    assert.isFalse(shown("@import url(x.css);@media print{.b{color:red}}.a{display:none}", "<p class=a>"))
    // Rules that need to know where an element stands are not followed.
    assert.isTrue(shown(".no-js .a{display:none}", "<p class=a>"))
  })

  it("is there where only a style sheet in another file could hide it", () => {
    const sheets = '<link rel=stylesheet href="/site.css"><style>@import url("/more.css");</style>'
    assert.strictEqual(textOf(`${sheets}<p class="hidden sr-only">Seen.`), "Seen.")
  })

  it("is there though all of the page is hidden until its scripts run", () => {
    assert.strictEqual(textOf(`<style>.js{opacity:0}</style><body class=js style="opacity:0"><p>Seen.`), "Seen.")
  })
})
