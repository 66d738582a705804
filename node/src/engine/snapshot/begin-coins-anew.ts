import type { Network } from "@lockstep/protocol/networks/network.ts"
import * as Effect from "effect/Effect"
import { otherSpace } from "../../coins/coin-space.ts"
import type { KeyValueStore } from "../../storage/key-value/key-value-store.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import { TIP_KEY } from "../chainstate/commit.ts"
import { putChangedEntries } from "../header-index/header-entry.ts"
import { nodeOf } from "../header-index/header-index.ts"
import { loadTree } from "../chainstate/load-tree.ts"
import { takeBackConclusions } from "./abandon-snapshot.ts"
import { readCoinsRecord } from "../state/chainstates.ts"
import { type CoinsRecord, COINS_RECORD_KEY, encodeCoinsRecord } from "../state/coins-record.ts"
import { removeCoins } from "./leftover-coins.ts"

interface Place {
  readonly whole: KeyValueStore
  readonly network: Network
  /** Reports whether the node stops; long work is then left to the next start. */
  readonly isOver: () => boolean
}

/** Replaces the chain of an unconfirmed snapshot by its background chain, as if the snapshot had been wrong. */
const leaveSnapshot = Effect.fnUntraced(function*(
  { network, whole }: Place,
  { active, background }: CoinsRecord
): Effect.fn.Return<CoinsRecord, StorageError> {
  const record = { active: otherSpace(active), hasLeftover: true, background: undefined }
  const tree = background && (yield* loadTree({ network, store: whole, base: background.base }))
  const tip = tree && background && nodeOf(tree, background.tip)
  // An inconsistent store is rejected when it is opened.
  if (tree === undefined || tip === undefined) return { active, hasLeftover: false, background }
  takeBackConclusions(tree, tip)
  yield* whole.write((batch) => {
    putChangedEntries(tree, batch)
    batch.put(TIP_KEY, tip.hash)
    batch.put(COINS_RECORD_KEY, encodeCoinsRecord(record))
  })
  return record
})

/**
 * Resets the chain to the genesis block with an empty set of coins; blocks, headers and indexes stay. The old set
 * becomes leftover in the one batch that moves the tip. A process that dies before that batch leaves the chain as it
 * was. If it dies later, the next start connects the blocks.
 */
export const beginCoinsAnew = Effect.fnUntraced(function*(place: Place): Effect.fn.Return<void, StorageError> {
  const { isOver, network, whole } = place
  if ((yield* whole.get(TIP_KEY)) === undefined) return
  const found = yield* readCoinsRecord(whole)
  const { active, background, hasLeftover } = found.background === undefined
    ? found
    : yield* leaveSnapshot(place, found)
  if (background !== undefined) return
  const empty = otherSpace(active)
  if (hasLeftover) yield* removeCoins(whole, empty, isOver)
  if (isOver()) return
  const record = { active: empty, hasLeftover: true, background: undefined }
  yield* whole.write((batch) => {
    batch.put(TIP_KEY, network.parameters.genesisHash)
    batch.put(COINS_RECORD_KEY, encodeCoinsRecord(record))
  })
})
