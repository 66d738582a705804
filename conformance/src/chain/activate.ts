import { isBetterChain, reorganisation } from "@lockstep/kernel/internal/chain/selection.ts"
import { collectBlock, type Collected, tableSeed } from "@lockstep/kernel/internal/connect/collect.ts"
import { concludeBlock } from "@lockstep/kernel/internal/connect/conclude.ts"
import { judgeScripts } from "@lockstep/kernel/internal/connect/judge.ts"
import { blockIdentity } from "@lockstep/kernel/internal/model/block-identity.ts"
import type { Block } from "@lockstep/kernel/internal/model/block.ts"
import type { ScriptFailure } from "@lockstep/kernel/internal/script/fault.ts"
import { type BlockUndo, disconnectBlock } from "@lockstep/kernel/internal/utxo/undo.ts"
import { type Rejection, rejectionOf } from "@lockstep/protocol/rejection/rejection.ts"
import * as Result from "effect/Result"
import { applyChanges, ownedCoin } from "./coin-set.ts"
import { type Entry, entryOf, type Store, withDescendants } from "./store.ts"

/** Called for every block that was tried as the next one of the chain. */
export interface Listener {
  readonly judged: (entry: Entry, rejection: Rejection | undefined) => void
  /** A block became the tip. */
  readonly connected?: (entry: Entry, block: Block, collected: Collected) => void
}

/** The first script of a block, in block order, that fails. */
export const firstScriptFailure = (store: Store, collected: Collected): ScriptFailure | undefined => {
  for (const job of collected.jobs) {
    const verdict = judgeScripts(store.machine, job)
    if (Result.isFailure(verdict)) return verdict.failure
  }
  return undefined
}

const ownedUndo = ({ replaced, spent }: BlockUndo): BlockUndo => ({
  spent: spent.map((coins) => coins.map(ownedCoin)),
  replaced: replaced.map(({ coin, outpoint }) => ({ outpoint, coin: ownedCoin(coin) }))
})

/** Marks `entry` and everything on top of it. */
export const markInvalid = (entry: Entry): void => {
  for (const each of withDescendants(entry)) each.invalid = true
}

const connect = (store: Store, entry: Entry, listener: Listener): boolean => {
  const { coins, crypto, parameters } = store
  const block = entry.block!.load()
  const collected = collectBlock(block, entry.node, blockIdentity(block, crypto), parameters, coins)
  const verdict = concludeBlock(collected, firstScriptFailure(store, collected))
  if (Result.isFailure(verdict)) {
    const rejection = rejectionOf(verdict.failure)
    if (rejection.class !== "mutated") markInvalid(entry)
    listener.judged(entry, rejection)
    return false
  }
  applyChanges(coins, verdict.success.delta, crypto)
  entry.undo = ownedUndo(verdict.success.undo)
  entry.connected = true
  store.tip = entry
  listener.judged(entry, undefined)
  listener.connected?.(entry, block, collected)
  return true
}

/**
 * Takes the tip off the chain. Fails with an exception when the kernel cannot: that is a defect, whatever the block.
 */
export const disconnectTip = (store: Store): void => {
  const { coins, crypto, tip } = store
  const block = tip.block!.load()
  const { hash, transactionIds } = blockIdentity(block, crypto)
  const verdict = disconnectBlock(block, transactionIds, tip.node.height, tip.undo!, coins, tableSeed(hash))
  if (Result.isFailure(verdict)) throw new Error(`block ${tip.node.height} cannot be disconnected`)
  applyChanges(coins, verdict.success, crypto)
  tip.undo = undefined
  store.tip = tip.parent!
}

const mostWork = (store: Store): Entry => {
  let best = store.tip
  for (const entry of store.entries.values()) {
    if (entry.linked && !entry.invalid && (best.invalid || isBetterChain(entry, best))) best = entry
  }
  return best
}

/** Goes to the best chain there is, trying again without what turns out to be invalid on the way. */
export const activateBestChain = (store: Store, listener: Listener): void => {
  for (let best = mostWork(store); best !== store.tip; best = mostWork(store)) {
    const { connect: path, disconnect } = reorganisation(store.tip.node, best.node)
    for (const _ of disconnect) disconnectTip(store)
    for (const { hash } of path) if (!connect(store, entryOf(store, hash)!, listener)) break
  }
}
