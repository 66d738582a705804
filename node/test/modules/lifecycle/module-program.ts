/** The source of a module: a program for Node.js without any package, which speaks the wire by itself. */
export const MODULE_SOURCE = `#!/usr/bin/env node
"use strict"
const net = require("node:net")
const { MODULE_ID, MODULE_NAME, SOCKET_PATH } = process.env
const u32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32LE(n); return b }
const u64 = (n) => { const b = Buffer.alloc(8); b.writeBigUInt64LE(BigInt(n)); return b }
const text = (t) => { const b = Buffer.from(t); return Buffer.concat([u64(b.length), b]) }
const socket = net.connect(SOCKET_PATH)
const send = (...parts) => { const body = Buffer.concat(parts); socket.write(Buffer.concat([u32(body.length), body])) }
let id = 0
const request = (tag, ...fields) => send(u32(0), u64(++id), u32(tag), u32(tag), ...fields)
const LEVEL = { info: 2 }
const log = (message) => send(u32(3), u32(LEVEL.info), text(MODULE_ID), text(String(message)), text(""), u64(0))
const handshake = (version = "0.1.0") => request(0, text(MODULE_ID), text(MODULE_NAME), text(version))
const bytes = (t) => text(t)
const answer = (correlation, ...payload) =>
  send(u32(5), correlation, Buffer.from([1, 1]), ...payload, Buffer.from([0]))
const subscribe = (...types) => request(8, u64(types.length), ...types.map(u32))
socket.on("end", () => process.exit(0))
socket.on("error", (error) => { console.error(error.message); process.exit(9) })
socket.on("data", (chunk) => onData(chunk))
let onData = () => undefined
`

/** What a module does, after the lines above. */
export const BEHAVIOURS = {
  /**
   * Subscribes to what becomes of modules and of the node, and logs the tags of the events. Writes to its database, to a file, sets a
   * timer, and logs the answers in hexadecimal digits. Answers calls of its method and its command.
   */
  watching: `
onData = (chunk) => {
  for (let at = 0; at < chunk.length; at += 4 + chunk.readUInt32LE(at)) {
    const tag = chunk.readUInt32LE(at + 4)
    if (tag === 2) log("event " + chunk.readUInt32LE(at + 8))
    if (tag === 1) log("answer " + chunk.toString("hex", at + 8, at + 4 + chunk.readUInt32LE(at)))
    if (tag === 1 && chunk.readUInt32LE(at + 8) === written) request(64, u64(1), bytes("key"))
    if (tag === 4) {
      const correlation = chunk.subarray(at + 8, at + 16)
      if (chunk.readUInt32LE(at + 16) === 0) answer(correlation, u32(0), text("out"), text("err"), u32(3))
      else answer(correlation, u32(1), text('{"height":7}'))
    }
  }
}
handshake()
request(66, u64(1), bytes("key"), bytes("value"), u64(0))
const written = id
request(22, text("note"), bytes("written"))
request(33, u64(0))
request(27, text("watched"), text("Answers a height."))
request(63, text(MODULE_NAME), Buffer.from([0]), u64(1), text("show"), Buffer.from([0]), u64(0))
subscribe(70, 71, 72, 81, 86, 119)
log("setting " + process.env.MODULE_CONFIG_MAX_SIZE)
`,
  /** Needs no events. */
  quiet: "handshake()",
  /** Ends after its handshake. */
  crashing: `handshake(); log("about to crash"); setTimeout(() => { console.error("no more"); process.exit(3) }, 50)`
} as const
