import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { patience } from "../process/patience.ts"
import { lineOn } from "../p2p/transcripts/line.ts"
import { conversationAt, conversationFiles, withBlocks } from "./conversation.ts"
import { announcedBlocks, bytesOf, comparable, entriesIn } from "./message-content.ts"
import { inboundPeer, listener, takeMessage } from "./test-peer.ts"

const HASH = "ab".repeat(32)
const entry = (type: number, byte: string): string => `0${type}000000${byte.repeat(32)}`
const nothing = new Uint8Array(0)

describe("files of conversations", () => {
  it("are read with their macros, and others are passed over", () => {
    const folder = mkdtempSync(join(tmpdir(), "lockstep-conversations-"))
    try {
      const rows = [
        `{"op":"conversation","nodes":2,"startState":"genesis"}`,
        `{"i":1,"op":"def","hash":"${HASH}","hex":"ff{0:6}"}`,
        `{"i":2,"op":"rpc","n":1,"at":5,"m":"submitblock","p":["{block:${HASH}}"],"result":null}`
      ]
      writeFileSync(join(folder, "one.jsonl.gz"), gzipSync(rows.join("\n")))
      writeFileSync(join(folder, "other.jsonl.gz"), gzipSync(`{"start":"x"}\n`))
      assert.lengthOf(conversationFiles(folder), 2)
      assert.isUndefined(conversationAt(join(folder, "other.jsonl.gz")))
      const conversation = conversationAt(conversationFiles(folder, ["one"])[0]!)!
      assert.deepStrictEqual([conversation.name, conversation.nodes, conversation.rows.length], ["one", 2, 2])
      assert.deepStrictEqual([...conversation.blocks], [[HASH, "ff000000"]])
      assert.strictEqual(withBlocks(`["{block:${HASH}}"]`, conversation.blocks), `["ff000000"]`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe("messages are compared with recorded ones", () => {
  it("by content, without what is of the sender's own choice", () => {
    const isSame = (command: string, a: string, b: string): boolean =>
      comparable({ command, payload: bytesOf(a) }) === comparable({ command, payload: bytesOf(b) })
    assert.isTrue(isSame("feefilter", "6400000000000000", "7a9e970000000000"))
    assert.isTrue(isSame("getheaders", "8011010000", "8111010000"))
    assert.isFalse(isSame("getheaders", "8011010000", "8011010001"))
    assert.isFalse(isSame("pong", "0000000000000000", "0100000000000000"))
  })

  it("entries of inventory messages one by one, and blocks as announced", () => {
    const frame = { command: "inv", payload: bytesOf(`02${entry(2, "ab")}${entry(5, "cd")}`) }
    assert.deepStrictEqual(entriesIn(frame), [`2:${HASH}`, `5:${"cd".repeat(32)}`])
    assert.deepStrictEqual(announcedBlocks(frame), [HASH])
    assert.isUndefined(entriesIn({ command: "ping", payload: nothing }))
  })
})

/** A server that does what a node would. */
const server = async (serve: (socket: Socket) => void) => {
  const made = createServer(serve)
  made.listen(0, "127.0.0.1")
  await once(made, "listening")
  return { port: (made.address() as { port: number }).port, close: () => made.close() }
}

describe("a test peer", () => {
  const LONG = patience(10_000)

  it("answers pings, and takes what came in any order and any groups, each once", async () => {
    const { close, port } = await server((socket) => {
      const line = lineOn(socket)
      socket.on("data", () => {
        for (const { command, payload } of line.received.splice(0)) {
          if (command === "pong") line.send("sendcmpct", payload)
          else line.close()
        }
      })
      line.send("addrv2", nothing)
      line.send("ping", bytesOf("0123456789abcdef"))
      line.send("inv", bytesOf(`01${entry(5, "01")}`))
      line.send("inv", bytesOf(`02${entry(5, "02")}${entry(5, "03")}`))
      line.send("sendheaders", nothing)
    })
    const peer = await inboundPeer(port)
    const comes = (command: string, payload: string): Promise<boolean> =>
      peer.until(() => takeMessage(peer, command, payload), LONG)
    assert.isTrue(await peer.until(() => peer.received.length === 2, LONG))
    const [answer] = peer.received.filter(({ command }) => command === "sendcmpct")
    assert.strictEqual(Buffer.from(answer!.payload).toString("hex"), "0123456789abcdef")
    assert.isTrue(await comes("sendcmpct", ""))
    assert.isTrue(await comes("sendheaders", ""))
    assert.isTrue(await comes("inv", `02${entry(5, "03")}${entry(5, "01")}`))
    assert.isFalse(takeMessage(peer, "inv", `01${entry(5, "01")}`))
    assert.isTrue(takeMessage(peer, "inv", `01${entry(5, "02")}`))
    assert.isFalse(takeMessage(peer, "sendheaders", ""))
    assert.deepStrictEqual(peer.received, [])
    peer.close()
    close()
  })

  it("knows by a ping of its own that all it sent is processed, or that the connection has ended", async () => {
    const { close, port } = await server((socket) => {
      const line = lineOn(socket)
      socket.on("data", () => {
        for (const { command, payload } of line.received.splice(0)) {
          if (command === "ping") line.send("pong", payload)
          if (command === "tx") line.close()
        }
      })
    })
    const peer = await inboundPeer(port)
    peer.send("verack", nothing)
    assert.isTrue(await peer.isProcessed(LONG))
    assert.deepStrictEqual(peer.received, [])
    peer.send("tx", nothing)
    assert.isTrue(await peer.isProcessed(LONG))
    assert.isTrue(peer.isClosed())
    close()
  })

  it("waits for the node to connect", async () => {
    const place = await listener()
    assert.isUndefined(await place.accepted(10))
    const caller = await inboundPeer(Number(place.address.split(":")[1]))
    const peer = await place.accepted(LONG)
    caller.send("verack", nothing)
    assert.isTrue(await peer!.until(() => takeMessage(peer!, "verack", ""), LONG))
    caller.close()
    peer!.close()
    place.close()
  })
})
