import type { Crypto } from "@lockstep/kernel/crypto"
import type { ChainStep } from "../../engine/state/chain-hook.ts"
import { KeySpace } from "../../storage/key-space.ts"
import type { ChainIndex } from "../chain-index.ts"
import { addBlock, outputsOfBlock, type PlacedOutput, removeBlock, type TransactionOutputs } from "./block-outputs.ts"
import { encodeHistory, encodeUnspent, historyKey, scriptRange, unspentKey } from "./output-entries.ts"
import { pendingChanges, type TakenRange, takeRange } from "./pending-changes.ts"

/**
 * Finds, by the SHA-256 of an output script, the transactions of the active chain that pay to it or spend from it, and
 * its unspent outputs. Entries of disconnected blocks are removed.
 */
export interface AddressIndex extends ChainIndex {
  /** Newest first if `reverse`. */
  readonly history: (scriptHash: Uint8Array, reverse: boolean) => TakenRange
  /** Lowest block first. */
  readonly unspent: (scriptHash: Uint8Array) => TakenRange
}

interface Moved {
  readonly scriptHash: Uint8Array
  received: bigint
  sent: bigint
}

export interface AddressIndexOptions {
  readonly crypto: Pick<Crypto, "sha256">
  /** Number of uncommitted changes from which a commit is due. */
  readonly mostPending?: number
}

export const addressIndex = ({ crypto, mostPending }: AddressIndexOptions): AddressIndex => {
  const pending = pendingChanges(mostPending)
  const hashOf = ({ coin: { script } }: PlacedOutput): Uint8Array => crypto.sha256(script)

  /** Sums the amounts that a transaction moves to and from each script. */
  const movedBy = ({ created, spent }: TransactionOutputs): Iterable<Moved> => {
    const moved = new Map<string, Moved>()
    const of = (output: PlacedOutput): Moved => {
      const scriptHash = hashOf(output)
      const name = Buffer.from(scriptHash).toString("latin1")
      const found = moved.get(name) ?? { scriptHash, received: 0n, sent: 0n }
      moved.set(name, found)
      return found
    }
    for (const output of created) of(output).received += output.coin.value
    for (const output of spent) of(output).sent += output.coin.value
    return moved.values()
  }

  const unspent = {
    add: (output: PlacedOutput) => pending.put(unspentKey(hashOf(output), output), encodeUnspent(output)),
    take: (output: PlacedOutput) => pending.remove(unspentKey(hashOf(output), output))
  }

  return {
    name: "addressindex",
    connected: (step: ChainStep) => {
      const transactions = outputsOfBlock(step)
      for (const transaction of transactions) {
        for (const { received, scriptHash, sent } of movedBy(transaction)) {
          const key = historyKey(scriptHash, step.node.height, transaction.position)
          pending.put(key, encodeHistory({ txid: transaction.txid, received, sent }))
        }
      }
      addBlock(step, transactions, unspent)
    },
    disconnected: (step) => {
      const transactions = outputsOfBlock(step)
      for (const transaction of transactions) {
        for (const { scriptHash } of movedBy(transaction)) {
          pending.remove(historyKey(scriptHash, step.node.height, transaction.position))
        }
      }
      removeBlock(step, transactions, unspent)
    },
    writeChanges: pending.writeTo,
    committed: pending.clear,
    isFull: pending.isFull,
    state: () => new Uint8Array(0),
    restore: (state) => state.length === 0,
    history: (scriptHash, reverse) => {
      const { from, to } = scriptRange(KeySpace.addressHistory, scriptHash)
      return takeRange(pending, from, to, reverse)
    },
    unspent: (scriptHash) => {
      const { from, to } = scriptRange(KeySpace.addressUnspent, scriptHash)
      return takeRange(pending, from, to)
    }
  }
}
