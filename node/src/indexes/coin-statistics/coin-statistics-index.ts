import { blockSubsidy } from "@lockstep/kernel/connect"
import type { Crypto } from "@lockstep/kernel/crypto"
import {
  coinBytes,
  type MuHash,
  muHashDigest,
  muHashElement,
  muHashInsert,
  muHashRemove
} from "@lockstep/kernel/utxo-hash"
import * as Effect from "effect/Effect"
import { damagedIndex } from "../damaged-index.ts"
import type { ChainStep } from "../../engine/state/chain-hook.ts"
import { displayHash } from "../../hex.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { KeySpace, numberedKey } from "../../storage/key-space.ts"
import type { KeyValueReader } from "../../storage/key-value/key-value-store.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainIndex } from "../chain-index.ts"
import { type BlockEffect, blockEffect, unspendableOf } from "./block-amounts.ts"
import { isOverwrittenCoinbase } from "./overwritten-coinbase.ts"
import { decodeRunningState, encodeRunningState, NOTHING_YET, type RunningState } from "./running-state.ts"
import { decodeStatistics, encodeStatistics, type StatisticsRecord } from "./statistics-record.ts"

/** The statistics of the coins after every block. Those of disconnected blocks stay. */
export interface CoinStatisticsIndex extends ChainIndex {
  readonly find: (
    node: HeaderIndexNode,
    store: KeyValueReader
  ) => Effect.Effect<StatisticsRecord | undefined, StorageError>
}

export interface CoinStatisticsOptions {
  readonly crypto: Crypto
  readonly subsidyHalvingInterval: number
}

/** Number of uncommitted records from which a commit is due. */
const FULL = 20_000

const broken = (node: HeaderIndexNode): StorageError =>
  damagedIndex(`The statistics of block ${displayHash(node.hash)} are damaged`)

/** Adds the effect of a block to the running numbers, or subtracts it if `sign` is −1. */
const moved = (state: RunningState, effect: BlockEffect, sign: 1 | -1, muHash: MuHash): RunningState => {
  const { amounts } = effect
  const by = BigInt(sign)
  const change = amounts.coinbase + amounts.newOutputsExceptCoinbase - amounts.prevoutSpent
  return {
    txouts: state.txouts + sign * effect.coins,
    bogoSize: state.bogoSize + by * BigInt(effect.bogoSize),
    total: state.total + by * change,
    unspendable: state.unspendable + by * unspendableOf(amounts),
    muHash
  }
}

export const coinStatisticsIndex = ({ crypto, subsidyHalvingInterval }: CoinStatisticsOptions): CoinStatisticsIndex => {
  let running = NOTHING_YET
  /** Uncommitted records, by key in hex. */
  const pending = new Map<string, { readonly key: Uint8Array; readonly value: Uint8Array }>()

  /** Computes the effect of a block, and the hash with its coins added or removed. */
  const follow = (
    { block, node, transactionIds, undo }: ChainStep,
    add: typeof muHashInsert,
    take: typeof muHashRemove
  ) => {
    let { muHash } = running
    const situation = {
      height: node.height,
      subsidy: blockSubsidy(node.height, subsidyHalvingInterval),
      isOverwritten: isOverwrittenCoinbase(node.height, node.hash)
    }
    const effect = blockEffect(block, transactionIds, undo, situation, {
      created: (outpoint, coin) => {
        muHash = add(muHash, muHashElement(coinBytes(outpoint, coin), crypto))
      },
      spent: (outpoint, coin) => {
        muHash = take(muHash, muHashElement(coinBytes(outpoint, coin), crypto))
      }
    })
    return { effect, muHash }
  }

  return {
    name: "coinstatsindex",
    connected: (step) => {
      const { effect, muHash } = follow(step, muHashInsert, muHashRemove)
      running = moved(running, effect, 1, muHash)
      const { bogoSize, total, txouts, unspendable } = running
      const digest = muHashDigest(muHash, crypto)
      const value = encodeStatistics({ txouts, bogoSize, total, unspendable, amounts: effect.amounts, muHash: digest })
      const key = numberedKey(KeySpace.coinStatistics, step.node.height, step.node.hash)
      pending.set(Buffer.from(key).toString("hex"), { key, value })
    },
    disconnected: (step) => {
      const { effect, muHash } = follow(step, muHashRemove, muHashInsert)
      running = moved(running, effect, -1, muHash)
    },
    writeChanges: (batch) => {
      for (const { key, value } of pending.values()) batch.put(key, value)
    },
    committed: () => pending.clear(),
    isFull: () => pending.size >= FULL,
    state: () => encodeRunningState(running),
    restore: (state) => {
      const decoded = decodeRunningState(state)
      running = decoded ?? NOTHING_YET
      return decoded !== undefined
    },
    find: (node, store) =>
      Effect.gen(function*() {
        const key = numberedKey(KeySpace.coinStatistics, node.height, node.hash)
        const bytes = pending.get(Buffer.from(key).toString("hex"))?.value ?? (yield* store.get(key))
        if (bytes === undefined) return undefined
        return decodeStatistics(bytes) ?? (yield* broken(node))
      })
  }
}
