import { decodeBlock, transactionId } from "@lockstep/kernel/model"
import { nobleCrypto } from "@lockstep/kernel/noble"
import type { ModuleEventPayload, NodeClient } from "@lockstep/sdk"
import type { Notifications } from "@lockstep/zmq"
import * as Result from "effect/Result"

type Notification = Extract<ModuleEventPayload, { readonly _tag: "Notified" }>["notification"]

/** Reverses a hash to display byte order, which ZeroMQ uses. */
const shown = (hash: Uint8Array): Uint8Array => hash.toReversed()

const blockOf = async (node: NodeClient, hash: Uint8Array): Promise<Uint8Array> => {
  const { value } = await node.ask("GetBlock", { hash })
  if (value === undefined) throw new Error(`the node has no block ${Buffer.from(shown(hash)).toString("hex")}`)
  return value
}

const publishTransactions = async (node: NodeClient, to: Notifications, hash: Uint8Array): Promise<void> => {
  if (!to.has("hashtx", "rawtx")) return
  const block = Result.getOrThrow(decodeBlock(await blockOf(node, hash)))
  for (const transaction of block.transactions) {
    to.transaction({ txid: shown(transactionId(transaction, nobleCrypto)), bytes: transaction.bytes })
  }
}

/** Publishes one step of the chain or the mempool. */
export const publish = async (node: NodeClient, to: Notifications, step: Notification): Promise<void> => {
  switch (step._tag) {
    case "UpdatedTip":
      return to.tip(
        shown(step.block_hash),
        to.has("rawblock") ? await blockOf(node, step.block_hash) : undefined
      )
    case "BlockConnected":
    case "BlockDisconnected":
      await publishTransactions(node, to, step.block_hash)
      return to.block(step._tag === "BlockConnected" ? "C" : "D", shown(step.block_hash))
    case "TransactionAdded": {
      const txid = shown(step.tx_hash)
      to.transaction({ txid, bytes: step.transaction })
      return to.mempool("A", txid, step.sequence)
    }
    case "TransactionRemoved":
      return to.mempool("R", shown(step.tx_hash), step.sequence)
  }
}
