import { LOCKTIME_THRESHOLD, SEQUENCE_FINAL } from "@lockstep/kernel/internal/constants.ts"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { inOrder } from "../chain/in-order.ts"
import { extend, storeOf } from "../chain/offer.ts"
import { readBlock } from "../chain/read-block.ts"
import type { Store } from "../chain/store.ts"
import { submitBlock } from "../chain/submit.ts"
import type { Field } from "../formats/field.ts"
import { displayHexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import type { Runner } from "./runner.ts"

const tipOf = (store: Store): string => displayHexOf(store.tip.node.hash)

const hashOf = (store: Store, block: Uint8Array): string => displayHexOf(store.crypto.sha256d(block.subarray(0, 80)))

/** A block of a second branch: it becomes the tip as soon as its branch is longer, and not before. */
const offerBranch = (store: Store, block: Uint8Array): Outcome => {
  const { tip } = store
  const { result } = submitBlock(store, () => block)
  const overtakes = store.entries.get(hashOf(store, block))!.node.height > tip.node.height
  return same("result", overtakes ? null : "inconclusive", result) ??
    same("best block", overtakes ? hashOf(store, block) : displayHexOf(tip.node.hash), tipOf(store))
}

/** Two branches of a regtest chain, one after the other. */
export const branches: Runner = function*(file) {
  const [first, second] = readJson(file).items.map(({ items }) => items)
  const step = inOrder()
  let store: Store | undefined
  for (const [i, block] of (first ?? []).entries()) {
    const judge = step(({ crypto }) => extend(store ??= storeOf(REGTEST, crypto), block.bytes))
    yield { index: `1.${i}`, name: "first branch", judge }
  }
  for (const [i, block] of (second ?? []).entries()) {
    yield { index: `2.${i}`, name: "second branch", judge: step(() => offerBranch(store!, block.bytes)) }
  }
}

/**
 * Whether the block's coinbase may not stand at `height` in a chain where only heights lock: read off the fields alone.
 */
const coinbaseIsLocked = (bytes: Uint8Array, height: number): boolean => {
  const coinbase = readBlock(bytes)?.transactions[0]
  return coinbase !== undefined && coinbase.inputs[0]!.sequence !== SEQUENCE_FINAL &&
    coinbase.lockTime < LOCKTIME_THRESHOLD &&
    coinbase.lockTime >= height
}

const judgeCoinbaseChain = (blocks: ReadonlyArray<Field>, store: Store): Outcome => {
  for (const [height, { bytes }] of blocks.entries()) {
    if (height === 0) continue
    const { rejection, result } = submitBlock(store, () => bytes)
    const outcome = same(
      `result of block ${height}`,
      coinbaseIsLocked(bytes, height) ? "bad-txns-nonfinal" : null,
      result
    )
    if (outcome !== undefined) return { ...outcome, rule: rejection?.rule }
  }
  return undefined
}

/**
 * Short chains with real work whose last coinbase has an odd lock time. What the file calls valid is a rule that is not
 * in force; today only a coinbase that is not final is refused.
 */
export const coinbaseLockTimes: Runner = function*(file) {
  for (const [i, chain] of readJson(file).items.entries()) {
    const judge = ({ crypto }: { readonly crypto: Store["crypto"] }): Outcome =>
      judgeCoinbaseChain(chain.get("block_chain").items, storeOf(MAINNET, crypto))
    yield { index: String(i), name: chain.get("comment").text, judge }
  }
}
