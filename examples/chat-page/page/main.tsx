/** @jsxImportSource react */
/** The page: it paints what the server knows of the chat in its address, and reads on with what goes on. */
import { createRoot } from "react-dom/client"
import type { Message } from "../shop.js"
import { Chat } from "./Chat.js"

const address = new URL(location.href)
const id = address.searchParams.get("chat") ?? crypto.randomUUID()
address.searchParams.set("chat", id)
history.replaceState(null, "", address)

/** Of a chat that has not begun, the server knows nothing. */
const past = await fetch(`/api/chat/${id}`)
const { messages }: { readonly messages: Array<Message> } = past.ok ? await past.json() : { messages: [] }

const root = document.getElementById("shop")
if (root !== null) createRoot(root).render(<Chat id={id} past={messages} />)
