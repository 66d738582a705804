import { blockHash, type Block } from "../../kernel/src/index.ts"
import type { Crypto } from "../../kernel/src/index.ts"
import { compactBlockOf } from "../../protocol/src/wire/compact-block/compact-block-of.ts"
import { connectPeer, politeness } from "../../node/test/p2p/sockets/wire-peer.ts"
import { until } from "../../node/test/p2p/sockets/wire-node.ts"

/** A peer that gives one node its blocks. */
export interface AnnouncingPeer {
  /** Announces a block by its header, and gives it when it is asked for it. */
  readonly give: (block: Block) => void
  /** Makes a compact block; what it answers announces that in high-bandwidth mode. */
  readonly prepare: (block: Block) => () => void
  /** Waits until the node has chosen it for high-bandwidth mode. */
  readonly chosen: Promise<void>
  readonly end: () => void
}

const keyOf = (hash: Uint8Array): string => Buffer.from(hash).toString("hex")

/** Connects to a node as one that serves compact blocks. */
export const announcingPeer = async (port: number, crypto: Crypto): Promise<AnnouncingPeer> => {
  const blocks = new Map<string, Block>()
  let isChosen = false
  const peer = await connectPeer(port, (message, say) => {
    politeness(message, say)
    if (message.command === "sendcmpct") isChosen ||= message.announce
    if (message.command === "getdata") {
      for (const { hash } of message.inventory) {
        const block = blocks.get(keyOf(hash))
        if (block !== undefined) say({ command: "block", header: block.header, bytes: block.bytes })
      }
    }
    if (message.command === "getblocktxn") {
      const block = blocks.get(keyOf(message.block))
      if (block === undefined) return
      const transactions = message.indexes.map((index) => block.transactions[index]!)
      say({ command: "blocktxn", block: message.block, transactions })
    }
  })
  await until("the handshake is over", () => peer.commands().includes("verack"))
  peer.say({ command: "sendcmpct", announce: false, version: 2n })
  const keep = (block: Block): void => void blocks.set(keyOf(blockHash(block.header, crypto)), block)
  return {
    give: (block) => {
      keep(block)
      peer.say({ command: "headers", headers: [block.header] })
    },
    prepare: (block) => {
      keep(block)
      const message = compactBlockOf(block, BigInt(blocks.size), crypto)
      return () => peer.say(message)
    },
    get chosen() {
      return until("the node has chosen the peer for high-bandwidth mode", () => isChosen)
    },
    end: peer.end
  }
}
