import type { Network } from "@lockstep/protocol/networks/network.ts"
import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import { displayHexOf } from "../formats/hex.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import type { Listener } from "./activate.ts"
import { createStore, type Store } from "./store.ts"
import { submitBlock } from "./submit.ts"

/** Later than any block of a chain that stands in a file: such chains are not judged by the clock. */
const LATE = 0xffffffff

/** A chain of nothing but the genesis block of `network`, judged by a clock that is ahead of every block. */
export const storeOf = ({ genesisBlock, parameters }: Network, crypto: Crypto): Store =>
  createStore(parameters, genesisBlock, LATE, crypto)

/** Submits the next block of the chain: it must become the tip. */
export const extend = (store: Store, block: Uint8Array, listener?: Partial<Listener>): Outcome => {
  const { rejection, result } = submitBlock(store, () => block, listener)
  const wrong = same("result", null, result)
  if (wrong !== undefined) return { ...wrong, rule: rejection?.rule }
  const hash = displayHexOf(store.crypto.sha256d(block.subarray(0, 80)))
  return same("best block", hash, displayHexOf(store.tip.node.hash))
}
