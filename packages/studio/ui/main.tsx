import { render } from "preact"
import { App } from "./App.js"
import { startLive } from "./state/live.js"

startLive()
const root = document.getElementById("studio")!
root.replaceChildren()
render(<App />, root)
