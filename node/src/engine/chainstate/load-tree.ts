import { bytesEqual } from "@lockstep/kernel/bytes"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { KeySpace, rangeOf } from "../../storage/key-space.ts"
import type { KeyValueReader } from "../../storage/key-value/key-value-store.ts"
import { StorageError } from "../../storage/storage-error.ts"
import { asTyped } from "../../typed-command.ts"
import { TIP_KEY } from "./commit.ts"
import type { HeaderIndex } from "../header-index/header-index.ts"
import { headerIndexLoader } from "../header-index/load-index.ts"

export const damagedChain = (problem: string): StorageError =>
  new StorageError({
    part: "key-value",
    operation: "start",
    reason: "corrupt",
    message: `The database of the chain does not fit together: ${problem}. Run ${
      asTyped("rebuild")
    }, which makes it anew from the block files.`
  })

interface StoredTree {
  readonly network: Network
  readonly store: KeyValueReader
  /** Hash of the block of an unconfirmed snapshot. */
  readonly base: Uint8Array | undefined
}

/** Loads the header index of a store. Returns `undefined` if the store has no chain yet. */
export const loadTree = Effect.fnUntraced(function*(
  { base, network, store }: StoredTree
): Effect.fn.Return<HeaderIndex | undefined, StorageError> {
  const tip = yield* store.get(TIP_KEY)
  if (tip === undefined) return undefined
  const assumed = network.assumeUtxo.find(({ hash }) => base !== undefined && bytesEqual(hash, base))
  const loader = headerIndexLoader(network.parameters.genesisHash, assumed)
  let problem: string | undefined
  yield* Stream.runForEach(store.range(rangeOf(KeySpace.header)), (entries) =>
    Effect.sync(() => {
      for (const entry of entries) problem ??= loader.add(entry)
    }))
  if (problem !== undefined) return yield* damagedChain(problem)
  const tree = loader.finish(tip)
  return typeof tree === "string" ? yield* damagedChain(tree) : tree
})
