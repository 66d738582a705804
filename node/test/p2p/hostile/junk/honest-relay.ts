import { bytesEqual } from "@lockstep/kernel/bytes"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { LooseTransaction } from "../../../crash/mempool/families.ts"
import { connectPeer, politeness } from "../../sockets/wire-peer.ts"
import { pause, until } from "../../sockets/wire-node.ts"

/** Two honest peers of one node: one announces transactions, the other one waits for them. */
export interface HonestRelay {
  /** Announces some, one after another, as long as it is not over. */
  readonly announce: (transactions: ReadonlyArray<LooseTransaction>, everyMs: number) => Promise<void>
  /** Waits until all that was announced was announced to the other one. Answers the milliseconds each took. */
  readonly arrived: () => Promise<ReadonlyArray<number>>
  /** Whether both are still connected. */
  readonly areThere: () => boolean
  readonly end: () => void
}

export const honestRelay = async (port: number): Promise<HonestRelay> => {
  const offered: Array<{ readonly transaction: LooseTransaction; readonly at: number }> = []
  const came = new Map<string, number>()
  const sender = await connectPeer(port, (message, say) => {
    politeness(message, say)
    if (message.command !== "getdata") return
    for (const { hash } of message.inventory) {
      const asked = offered.find(({ transaction: { coins } }) => bytesEqual(coins[0]!.outpoint.txid, hash))
      if (asked !== undefined) say({ command: "tx", transaction: asked.transaction.tx })
    }
  })
  const receiver = await connectPeer(port, (message, say) => {
    politeness(message, say)
    if (message.command !== "inv") return
    for (const { hash } of message.inventory) {
      const txid = Buffer.from(hash).reverse().toString("hex")
      if (!came.has(txid)) came.set(txid, performance.now())
    }
  })
  for (const peer of [sender, receiver]) await until("the handshake is over", () => peer.commands().includes("verack"))
  const areThere = (): boolean => !sender.isClosed() && !receiver.isClosed()
  return {
    announce: async (transactions, everyMs) => {
      for (const transaction of transactions) {
        offered.push({ transaction, at: performance.now() })
        const { txid } = transaction.coins[0]!.outpoint
        sender.say({ command: "inv", inventory: [{ type: InventoryType.TX, hash: txid }] })
        await pause(everyMs)
      }
    },
    arrived: async () => {
      const isHere = (): boolean => offered.every(({ transaction: { txid } }) => came.has(txid))
      await until("all honest transactions are relayed", () => !areThere() || isHere())
      return offered.map(({ at, transaction: { txid } }) => (came.get(txid) ?? Number.NaN) - at)
    },
    areThere,
    end: () => {
      sender.end()
      receiver.end()
    }
  }
}
