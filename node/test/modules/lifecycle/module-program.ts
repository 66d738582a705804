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
const subscribe = (...types) => request(8, u64(types.length), ...types.map(u32))
socket.on("end", () => process.exit(0))
socket.on("error", (error) => { console.error(error.message); process.exit(9) })
socket.on("data", (chunk) => onData(chunk))
let onData = () => undefined
`

/** What a module does, after the lines above. */
export const BEHAVIOURS = {
  /** Subscribes to what becomes of modules and of the node, and logs the tags of the events. */
  watching: `
onData = (chunk) => {
  for (let at = 0; at < chunk.length; at += 4 + chunk.readUInt32LE(at)) {
    if (chunk.readUInt32LE(at + 4) === 2) log("event " + chunk.readUInt32LE(at + 8))
  }
}
handshake()
subscribe(70, 71, 72, 81, 86)
log("setting " + process.env.MODULE_CONFIG_MAX_SIZE)
`,
  /** Needs no events. */
  quiet: "handshake()",
  /** Ends after its handshake. */
  crashing: `handshake(); log("about to crash"); setTimeout(() => { console.error("no more"); process.exit(3) }, 50)`
} as const
