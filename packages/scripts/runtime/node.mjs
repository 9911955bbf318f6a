/**
 * Serves calls of TypeScript and JavaScript scripts; README.md has the protocol.
 * The program that starts it has compiled the scripts and what they import by
 * relative path; here they are only evaluated.
 */
import { Calls } from "./node/calls.mjs"
import { Channel } from "./node/channel.mjs"

const channel = new Channel(3, 4)
const calls = new Calls(channel)
channel.read((message) => calls.receive(message))
