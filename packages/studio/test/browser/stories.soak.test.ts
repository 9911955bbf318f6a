/** Each page from end to end, by mouse and by keyboard alone. */
import { expect } from "@effect/vitest"
import { Conversation } from "@wield/agent"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { disconnectAfterwards } from "../../../../test/browser/Browser.js"
import { secrets, type Shop } from "../shop.js"
import { fromTheStart, inStudio } from "./stories.js"

disconnectAfterwards()

/** How a person reaches things. */
interface Hand {
  readonly press: (target: Locator) => Promise<void>
  readonly fill: (target: Locator, text: string) => Promise<void>
  readonly choose: (select: Locator, label: string) => Promise<void>
  /** Opens a row of a list. */
  readonly pick: (list: Locator, name: string | RegExp) => Promise<void>
}

const mouse: Hand = {
  press: (target) => target.click(),
  fill: (target, text) => target.fill(text),
  choose: async (select, label) => void (await select.selectOption({ label })),
  pick: (list, name) =>
    list
      .getByRole(/Events/.test(String(list)) ? "treeitem" : "option", { name })
      .first()
      .click()
}

const hasFocus = (target: Locator): Promise<boolean> => target.evaluate((element) => element === document.activeElement)

/** Goes from stop to stop until the target has the focus. */
const reach = async (target: Locator): Promise<void> => {
  await target.waitFor()
  for (let stops = 0; !(await hasFocus(target)); stops++) {
    if (stops === 150) throw new Error(`The keyboard does not reach ${String(target)}`)
    await target.page().keyboard.press("Tab")
  }
}

const keyboard: Hand = {
  press: async (target) => {
    await reach(target)
    const isCheckbox = (await target.getAttribute("type")) === "checkbox"
    await target.page().keyboard.press(isCheckbox ? "Space" : "Enter")
  },
  fill: async (target, text) => {
    await reach(target)
    await target.page().keyboard.press("ControlOrMeta+a")
    await target.page().keyboard.insertText(text)
  },
  choose: async (select, label) => {
    await reach(select)
    // Letters would be taken together with those of the choice before, for a second.
    await select.page().keyboard.press("Home")
    const chosen = () => select.evaluate((element) => (element as HTMLSelectElement).selectedOptions[0]?.text)
    for (let options = 0; (await chosen()) !== label; options++) {
      if (options === 100) throw new Error(`${String(select)} has no option ${label}`)
      await select.page().keyboard.press("ArrowDown")
    }
  },
  pick: async (list, name) => {
    await reach(list)
    const row = list.locator(".virtual-row.active").filter({ hasText: name })
    await list.page().keyboard.press("Home")
    for (let rows = 0; (await row.count()) === 0; rows++) {
      if (rows === 50) throw new Error(`No row has ${String(name)}`)
      await list.page().keyboard.press("ArrowDown")
    }
    await list.page().keyboard.press("Enter")
  }
}

const eachWay = (name: string, story: (hand: Hand, page: Page, shop: Shop) => Promise<void>): void => {
  inStudio(`${name}, by mouse`, (page, shop) => story(mouse, page, shop))
  inStudio(`${name}, by keyboard alone`, (page, shop) => story(keyboard, page, shop))
}

/** The same hand, and how often it was used. */
const countSteps = (hand: Hand): { readonly hand: Hand; readonly count: () => number } => {
  let steps = 0
  const step =
    <A extends ReadonlyArray<unknown>>(act: (...given: A) => Promise<void>) =>
    (...given: A): Promise<void> => {
      steps++
      return act(...given)
    }
  const { choose, fill, pick, press } = hand
  return {
    hand: { press: step(press), fill: step(fill), choose: step(choose), pick: step(pick) },
    count: () => steps
  }
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true })

const goTo = (hand: Hand, page: Page, name: string | RegExp) =>
  hand.press(page.getByRole("navigation").getByRole("link", { name }))

const messageOf = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true })

const open = (page: Page, address: string) => page.evaluate((hash) => void (location.hash = hash), address)

const list = (page: Page, name: string) => page.getByRole("listbox", { name })

/** Takes the file that a button offers. */
const saveFile = async (page: Page, press: Promise<void>): Promise<string> => {
  const [download] = await Promise.all([page.waitForEvent("download"), press])
  const chunks: Array<Buffer> = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const openFile = async (page: Page, press: Promise<void>, text: string): Promise<void> => {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), press])
  await chooser.setFiles({ name: "file.json", mimeType: "application/json", buffer: Buffer.from(text) })
}

/** Begins a chat with a script that calls a tool. */
const playScript = async (hand: Hand, page: Page): Promise<void> => {
  await goTo(hand, page, "Playground")
  await hand.press(button(page, "Play a script"))
  await messageOf(page).waitFor()
}

const say = async (hand: Hand, page: Page, message: string, tool: string, args: object): Promise<void> => {
  await hand.fill(messageOf(page), message)
  await hand.choose(page.getByLabel("Part 1: text or a tool"), `call ${tool}`)
  await hand.fill(page.getByLabel("Part 1: arguments as JSON"), JSON.stringify(args))
  await hand.press(button(page, "Add a part"))
  await hand.fill(page.getByRole("textbox", { name: "Part 2: text" }), `That was ${message}.`)
  await hand.press(button(page, "Send"))
}

eachWay("chats with a script, and changes what it asks for", async (hand, page) => {
  await playScript(hand, page)
  await say(hand, page, "orders", "find_orders", { text: "tea" })
  await page.getByText("That was orders.").waitFor()
  await say(hand, page, "a refund", "refund", { order: "A1", amount: 200 })
  await hand.press(button(page, "Change"))
  await hand.fill(page.getByRole("article", { name: /refund/ }).getByLabel("amount"), "150")
  await page.getByRole("group", { name: "What changes" }).getByText("150").waitFor()
  await hand.press(button(page, "Approve with changes"))
  await page.getByText("That was a refund.").waitFor()
})

eachWay("makes a toolset, activates it, and a chat sees it at its next turn", async (hand, page, shop) => {
  await playScript(hand, page)
  await say(hand, page, "small", "refund", { order: "A1", amount: 1 })
  await page.getByText("That was small.").waitFor()
  await hand.press(page.getByRole("link", { name: "Toolset", exact: true }))
  await hand.pick(list(page, "Toolsets"), /orders/)
  await hand.press(page.getByRole("checkbox", { name: /^refund/ }))
  await page.getByText("Changed, and not live").waitFor()
  // The draft is not live.
  const active = () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { conversations } = (yield* shop.get("/api/conversations")).json
        return (yield* shop.get(`/api/toolsets?conversation=${conversations[0].id}`)).json.active
      })
    )
  expect((await active()).functions).toContain("refund")

  await hand.press(button(page, "Save as…"))
  await hand.fill(page.getByRole("textbox", { name: "Name", exact: true }), "search only")
  await hand.press(button(page, "🔍"))
  await hand.press(button(page, "Save").last())
  await page.getByRole("heading", { name: "search only" }).waitFor()
  await hand.press(button(page, "Activate"))
  await page.getByText("Active: search only").waitFor()
  expect((await active()).functions).toEqual(["find_orders"])

  await goTo(hand, page, "Playground")
  await hand.pick(list(page, "Chats"), /small/)
  await say(hand, page, "again", "refund", { order: "A1", amount: 1 })
  await page.getByText("That was again.").waitFor()
  await hand.press(page.locator("summary", { hasText: "refund" }).last())
  await page
    .getByText(/not available|not on offer|not in the/i)
    .first()
    .waitFor()

  await goTo(hand, page, "Toolsets")
  await hand.pick(list(page, "Toolsets"), /search only/)
  const file = await saveFile(page, hand.press(button(page, "Export")))
  await hand.press(button(page, "Rename"))
  await hand.fill(page.getByRole("textbox", { name: "Name", exact: true }), "looks")
  await hand.press(button(page, "Rename").last())
  await page.getByRole("heading", { name: "looks" }).waitFor()
  await hand.press(button(page, "Copy"))
  await hand.fill(page.getByRole("textbox", { name: "Name", exact: true }), "looks too")
  await hand.press(button(page, "Copy").last())
  await page.getByRole("heading", { name: "looks too" }).waitFor()
  await hand.press(button(page, "Delete"))
  await hand.press(button(page, "Delete").last())
  await page.getByRole("heading", { name: "looks too", level: 1 }).waitFor({ state: "detached" })
  await openFile(page, hand.press(button(page, "Import")), file)
  await page.getByRole("heading", { name: "search only" }).waitFor()
  await hand.press(button(page, "Uncheck all"))
  await hand.press(button(page, "Activate"))
  await page.getByRole("heading", { name: "Offer no tool at all?" }).waitFor()
  await hand.press(button(page, "Cancel"))
  await hand.press(button(page, "Discard changes"))
  await page.getByText("Changed, and not live").waitFor({ state: "detached" })
})

eachWay("reads a run, forks it at a turn, exports and imports it", async (hand, page, shop) => {
  await playScript(hand, page)
  await say(hand, page, "orders", "find_orders", { text: "tea" })
  await page.getByText("That was orders.").waitFor()
  await hand.press(page.getByRole("link", { name: "Run", exact: true }))
  const tree = page.getByRole("tree", { name: "Events of the run" })
  await tree.getByText("find_orders").first().waitFor()
  await hand.pick(tree, /find_orders/)
  await page.getByRole("group", { name: "What the model reads" }).getByText("A1 tea").waitFor()
  // The stages of the call, with their times.
  await hand.press(button(page, "Expand all"))
  await tree
    .getByRole("treeitem", { name: /^handle.* ms$/ })
    .first()
    .waitFor()
  const file = await saveFile(page, hand.press(button(page, "Export")))
  await hand.pick(tree, /Turn 2/)
  await hand.press(button(page, "Fork the conversation here"))
  await page.waitForURL("**/#/conversations/*")
  await goTo(hand, page, "Runs")
  const { runs } = (await Effect.runPromise(shop.get("/api/runs"))).json
  const imported = file.replaceAll(runs[0].id, crypto.randomUUID())
  await openFile(page, hand.press(button(page, "Import")), imported)
  await page.getByRole("tree", { name: "Events of the run" }).getByText("find_orders").first().waitFor()
  expect(await saveFile(page, hand.press(button(page, "Export")))).toBe(imported)
})

eachWay("denies a call with a reason, and hears of the next one", async (hand, page, { get, post }) => {
  const ask = (order: string) =>
    Effect.runPromise(post("/api/tools/refund/call", { arguments: { order, amount: 200 } }))
  await ask("A1")
  await goTo(hand, page, /Approvals/)
  await hand.press(button(page, "Deny").first())
  await hand.fill(page.getByLabel("Reason, which the model reads"), "too much")
  await hand.press(button(page, "Deny").last())
  await page.getByText("Nothing waits").waitFor()
  const { runs } = (await Effect.runPromise(get("/api/runs"))).json
  const { text } = await Effect.runPromise(get(`/api/runs/${runs[0].id}/export`))
  expect(text).toContain("too much")
  await ask("B2")
  await page.getByText("Waiting for your answer: refund").waitFor({ state: "attached" })
})

eachWay("replies to a call that asks, twice, and reads why a reply does not fit", async (hand, page, shop) => {
  await Effect.runPromise(shop.post("/api/tools/book/call", { arguments: {} }))
  await goTo(hand, page, /Approvals/)
  await page.getByText("Where?").waitFor()
  expect(await page.content()).not.toContain(secrets.state)
  await hand.press(button(page, "Send the reply"))
  // Once, at the field that has no value.
  await page.getByRole("alert").getByText('expected one of "aisle" or "window"').waitFor()
  const digest = await page.locator("code[title]").getAttribute("title")
  await hand.choose(page.getByRole("combobox", { name: "reply" }), "aisle")
  await hand.press(button(page, "Send the reply"))
  // The second question waits under a digest of its own.
  await page.locator(`code[title]:not([title="${digest}"])`).waitFor({ state: "attached" })
  await hand.choose(page.getByRole("combobox", { name: "reply" }), "window")
  await hand.press(button(page, "Send the reply"))
  await page.getByText("Nothing waits").waitFor()
  const { runs } = (await Effect.runPromise(shop.get("/api/runs"))).json
  const { text } = await Effect.runPromise(shop.get(`/api/runs/${runs[0].id}/export`))
  expect(text).toContain("booked window")
})

eachWay("finds a tool, reads it as each provider gets it, previews and calls it with raw JSON", async (hand, page) => {
  await hand.fill(page.getByRole("searchbox", { name: "Search tools" }), "zanzibar")
  await page.getByText("No tool has these words.").waitFor()
  // No tool has the letters; the search of models knows the word.
  await hand.fill(page.getByRole("searchbox", { name: "Search tools" }), "paying bills")
  await list(page, "Tools").getByText("refund").waitFor()
  await hand.fill(page.getByRole("searchbox", { name: "Search tools" }), "back order")
  await hand.pick(list(page, "Tools"), /refund/)
  const wires = page.getByRole("region", { name: "As providers get it" })
  await wires.getByText('"input_schema"').waitFor()
  const provider = wires.getByLabel("Provider")
  for (const title of await provider.locator("option").allTextContents()) {
    await hand.choose(provider, title)
    await wires.getByRole("group", { name: `The definition for ${title.replace(/ \(.*/, "")}` }).waitFor()
    // The hidden field is none of the model's.
    expect(await wires.textContent()).not.toContain("customerId")
    expect(await wires.getByText("This provider does not get:").count()).toBe(/loss/.test(title) ? 1 : 0)
  }

  await hand.fill(page.getByLabel("order"), "A1")
  await hand.press(button(page, "JSON"))
  const raw = page.getByLabel("Arguments as JSON")
  expect(JSON.parse(await raw.inputValue())).toMatchObject({ order: "A1" })
  await hand.fill(raw, '{ "order": "A1", "amount": ')
  await page.getByText(/^Not JSON/).waitFor()
  await hand.fill(raw, '{ "order": "A1", "amount": 200 }')
  await hand.press(button(page, "Preview"))
  await page.getByText("Nothing was run. The call would end so:").waitFor()
  await page.getByText("it is over 100").waitFor()
  await hand.press(button(page, "Form"))
  await hand.fill(page.getByLabel("amount"), "20")
  await hand.press(button(page, "Call"))
  await page.getByText("The tool succeeded.").waitFor()
  const read = page.getByRole("group", { name: "What the model reads" })
  expect(await read.textContent()).toContain("refund 1: 20 for A1")
})

eachWay("finds a conversation by its words, reads it, and goes on with it", async (hand, page, { store }) => {
  for (const text of ["Where is my kettle?", "Is the tea in stock?"]) {
    const made = Effect.flatMap(Conversation.entry(Conversation.user(text)), (entry) =>
      store.create({ entries: [entry] })
    )
    await Effect.runPromise(made)
  }
  await page.reload()
  await goTo(hand, page, "Conversations")
  await list(page, "Conversations").getByRole("option").nth(1).waitFor()
  await hand.fill(page.getByRole("searchbox", { name: "Search conversations" }), "KETTLE")
  await list(page, "Conversations").getByRole("option").nth(1).waitFor({ state: "detached" })
  await hand.pick(list(page, "Conversations"), /entry/)
  const question = page.getByRole("article").getByText("Where is my kettle?")
  await question.waitFor()
  await hand.press(button(page, "Go on with a script"))
  await messageOf(page).waitFor()
  await question.waitFor()
  await say(hand, page, "in the box", "find_orders", { text: "kettle" })
  await page.getByText("That was in the box.").waitFor()
  await goTo(hand, page, "Conversations")
  await hand.pick(list(page, "Conversations"), /5 entries/)
  const read = page.getByRole("region", { name: "Details" })
  await read.getByText("That was in the box.").waitFor()
  await hand.press(read.getByRole("button", { name: "Fork here" }).first())
  await read.getByText("1 entry").waitFor()
})

eachWay(
  "shows in its place what an answer has led to, and keeps who gave it and what was changed",
  async (hand, page, shop) => {
    const { json } = await Effect.runPromise(
      shop.post("/api/tools/refund/call", { arguments: { order: "A1", amount: 200 } })
    )
    await goTo(hand, page, /Approvals/)
    await hand.press(button(page, "Change"))
    await hand.fill(page.getByLabel("amount"), "150")
    await hand.press(button(page, "Approve with changes"))
    const card = page.getByRole("article", { name: /refund approved with changes/ })
    await card.getByText("refund 1: 150 for A1").waitFor()
    await card.getByText("by the user of the studio").waitFor()
    const changes = await card.getByRole("group", { name: "What was changed" }).textContent()
    expect(changes).toMatch(/- *"amount": 200/)
    expect(changes).toMatch(/\+ *"amount": 150/)
    await page.reload()
    await page.getByRole("region", { name: "Answered before" }).getByText("refund 1: 150 for A1").waitFor()
    await hand.press(card.getByRole("link", { name: "See the run" }))
    await page
      .getByRole("region", { name: "What is chosen in the run" })
      .getByText("refund 1: 150 for A1")
      .first()
      .waitFor()
    // The run that has asked is no longer one that waits.
    await open(page, `#/runs/${json.run}`)
    await page.getByRole("region", { name: "Details" }).getByText("answered", { exact: true }).waitFor()
  }
)

eachWay("narrows runs, calls again, plays a call as a script, and compares two runs", async (hand, page, shop) => {
  const call = async (tool: string, args: object) =>
    (await Effect.runPromise(shop.post(`/api/tools/${tool}/call`, { arguments: args }))).json
  await call("find_orders", { text: "tea" })
  await call("find_orders", { text: "coffee" })
  await call("crash", {})
  await goTo(hand, page, "Runs")
  const options = list(page, "Runs").getByRole("option")
  const narrow = async (select: string, label: string, count: number) => {
    await hand.choose(page.getByLabel(select, { exact: true }), label)
    await expect.poll(() => options.count()).toBe(count)
  }
  await narrow("Errors", "With errors", 1)
  await narrow("Errors", "Errors or none", 3)
  await narrow("Tool", "find_orders", 2)
  await narrow("State", "done", 2)
  await narrow("Time", "Last week", 0)
  await hand.press(button(page, "Show all"))
  await hand.fill(page.getByRole("searchbox", { name: "Search runs" }), "coffee")
  await options.nth(1).waitFor({ state: "detached" })
  await hand.pick(list(page, "Runs"), /coffee/)
  await hand.pick(page.getByRole("tree", { name: "Events of the run" }), /find_orders/)
  await page.waitForURL(/#\/runs\/[^/]+\/\.0$/)
  await page.reload()
  await hand.press(button(page, "Call again"))
  await page.waitForURL("**/#/tools/find_orders")
  expect(await page.getByLabel("text").inputValue()).toBe("coffee")
  await page.goBack()
  await hand.press(button(page, "Open in the playground"))
  expect(await page.getByLabel("Part 1: arguments as JSON").inputValue()).toBe('{"text":"coffee"}')

  await goTo(hand, page, "Runs")
  await hand.pick(list(page, "Runs"), /coffee/)
  const compare = page.getByLabel("Compare with")
  const label = (await compare.locator("option", { hasText: "tea" }).textContent()) ?? ""
  await hand.choose(compare, label)
  await hand.press(button(page, "Compare"))
  const did = page.getByRole("group", { name: "What the runs did" })
  await did.getByText('find_orders {"text":"tea"}').waitFor()
  expect(await did.textContent()).toMatch(/- *find_orders {"text":"coffee"}[^]*\+ *find_orders {"text":"tea"}/)
})

eachWay(
  "makes a set from nothing, gives it to new conversations, and finds the way out when it is deleted",
  async (hand, page, shop) => {
    await goTo(hand, page, "Toolsets")
    await hand.press(button(page, "New set"))
    await hand.press(page.getByRole("checkbox", { name: /^find_orders/ }))
    await hand.press(button(page, "Save as…"))
    await hand.fill(page.getByRole("textbox", { name: "Name", exact: true }), "mine")
    await hand.press(button(page, "Save").last())
    await page.getByRole("heading", { name: "mine" }).waitFor()
    await hand.press(button(page, "Activate"))
    await page.getByText("Active: mine").waitFor()
    const activeIn = async (conversation: string) =>
      (await Effect.runPromise(shop.get(`/api/toolsets?conversation=${conversation}`))).json.active.functions
    expect(await activeIn("new")).toEqual(["find_orders"])
    await hand.press(button(page, "Delete"))
    await hand.press(button(page, "Delete").last())
    await page
      .getByRole("alert")
      .getByText(/The active set.*was deleted/)
      .waitFor()
    await hand.press(button(page, "Back to what the program says"))
    await page.getByText("Active: all").waitFor()
    expect(await activeIn("new")).toContain("refund")
  }
)

eachWay("says in a chat that its set was deleted, and gives its tools back", async (hand, page, shop) => {
  await playScript(hand, page)
  const conversation = (await Effect.runPromise(shop.get("/api/conversations"))).json.conversations[0].id
  const lose = async () => {
    await Effect.runPromise(shop.send("PUT", "/api/toolsets/mine", { functions: ["find_orders"] }))
    await Effect.runPromise(shop.post("/api/toolsets/activate", { name: "mine", conversation }))
    await Effect.runPromise(shop.send("DELETE", "/api/toolsets/mine"))
  }
  const isInitial = async () =>
    (await Effect.runPromise(shop.get(`/api/toolsets?conversation=${conversation}`))).json.isInitial
  const deleted = page.getByRole("alert").getByText(/The active set mine was deleted/)
  await lose()
  await deleted.waitFor()
  await hand.press(button(page, "Use what new conversations get"))
  await deleted.waitFor({ state: "detached" })
  expect(await isInitial()).toBe(true)
  await lose()
  await open(page, `#/conversations/${conversation}`)
  await deleted.waitFor()
  await hand.press(page.getByRole("alert").getByRole("link", { name: "Choose another set" }))
  await hand.press(button(page, "Use what new conversations get"))
  await deleted.waitFor({ state: "detached" })
  expect(await isInitial()).toBe(true)
})

eachWay(
  "finds on the first page what went wrong and what waits, and answers it in the chat",
  async (hand, page, shop) => {
    await Effect.runPromise(shop.post("/api/tools/crash/call", { arguments: {} }))
    await playScript(hand, page)
    await say(hand, page, "a refund", "refund", { order: "A1", amount: 200 })
    await button(page, "Approve").waitFor()
    await goTo(hand, page, "Start")
    await page.getByRole("region", { name: "Ended lately" }).waitFor()
    const waits = page.getByRole("region", { name: "Waits for an answer" })
    await hand.press(waits.getByRole("article", { name: /refund/ }).getByRole("link", { name: "run" }))
    await page.getByText("refund waits for a person: it is over 100").waitFor()
    await goTo(hand, page, "Playground")
    await hand.pick(list(page, "Chats"), /a refund/)
    await hand.press(button(page, "Approve"))
    await page.getByText("That was a refund.").waitFor()
    // What was done stays in the chat.
    await page
      .getByRole("log")
      .getByText(/^Approved .* by the user of the studio/)
      .waitFor()
  }
)

for (const [way, hand] of [
  ["mouse", mouse],
  ["keyboard alone", keyboard]
] as const) {
  fromTheStart(
    `lets a newcomer find what went wrong in a shop, and approve what waits, in three steps, by ${way}`,
    async (page, shop) => {
      const byHand = (tool: string, args: object) =>
        Effect.runPromise(shop.post(`/api/tools/${tool}/call`, { arguments: args }))
      await byHand("find_orders", { text: "tea" })
      await byHand("crash", {})
      await byHand("refund", { order: "A1", amount: 200 })
      const newcomer = countSteps(hand)
      // What went wrong is said before anything is opened; where it did, and with what, stands one step away.
      const failed = page.getByRole("region", { name: "Failed today" })
      await failed.getByText(/failed internally/).waitFor()
      await newcomer.hand.press(failed.getByRole("link", { name: /crash/ }))
      const chosen = page.getByRole("region", { name: "What is chosen in the run" })
      await chosen.getByRole("heading", { name: "crash" }).waitFor()
      await chosen.getByText("The tool broke.").waitFor()
      await goTo(newcomer.hand, page, "Start")
      const waits = page.getByRole("region", { name: "Waits for an answer" })
      await waits.getByText("it is over 100").waitFor()
      await newcomer.hand.press(waits.getByRole("button", { name: "Approve", exact: true }))
      const answered = waits.getByRole("article", { name: "refund approved" })
      await answered.getByText("refund 1: 200 for A1").waitFor()
      expect(newcomer.count()).toBe(3)
      // Or where the run stands that waits.
      await byHand("refund", { order: "B2", amount: 300 })
      await goTo(hand, page, "Runs")
      await hand.pick(list(page, "Runs"), /waits/)
      await hand.press(chosen.getByRole("button", { name: "Approve" }))
      await page.getByText("It was answered").waitFor()
      await hand.press(page.getByRole("link", { name: "See that run" }))
      await chosen.getByText("refund 2: 300 for B2").waitFor()
      await goTo(hand, page, "Start")
      await failed.getByText("crash").first().waitFor()
      await page.getByText("Nothing waits.").waitFor()
    }
  )
}
