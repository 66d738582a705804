import { bytesEqual } from "@lockstep/kernel/bytes"
import type { AssumeUtxo } from "@lockstep/protocol/networks/network.ts"
import { StorageError } from "../../storage/storage-error.ts"
import { asTyped } from "../../typed-command.ts"
import type { EngineParts } from "../chain-engine.ts"
import type { EngineOptions } from "../engine-options.ts"
import { nodeOf, type HeaderIndex } from "../header-index/header-index.ts"
import type { Snapshot } from "./snapshot.ts"

/** The snapshot with this base that the network vouches for. */
export const knownSnapshotAt = ({ network }: Pick<EngineParts, "network">, base: Uint8Array): AssumeUtxo | undefined =>
  network.assumeUtxo.find(({ hash }) => bytesEqual(hash, base))

type Indexed = Pick<
  EngineOptions,
  | "addressIndex"
  | "blockFilterIndex"
  | "coinStatisticsIndex"
  | "pruning"
  | "spenderIndex"
  | "transactionIndex"
  | "valueIndex"
>

/** What of the options needs blocks that are not here before a snapshot is confirmed. None: nothing. */
export const needsAllBlocks = (options: Indexed): string | undefined => {
  if (options.pruning._tag !== "Disabled") return "pruning"
  if (options.transactionIndex) return "the transaction index"
  if (options.spenderIndex === true) return "the index of spent outputs"
  if (options.coinStatisticsIndex) return "the index of coin statistics"
  if (options.blockFilterIndex) return "the index of block filters"
  if (options.addressIndex === true) return "the index of addresses"
  return options.valueIndex === true ? "the index of values" : undefined
}

const refusal = (reason: StorageError["reason"], message: string): StorageError =>
  new StorageError({ part: "key-value", operation: "start", reason, message })

/** The snapshot that the last run loaded and did not confirm; none: there is none. */
export const openSnapshot = (parts: EngineParts, tree: HeaderIndex): Snapshot | StorageError | undefined => {
  const { chainstates: { atStart }, options } = parts
  if (atStart === undefined) return undefined
  const hindrance = needsAllBlocks(options)
  if (hindrance !== undefined) {
    return refusal(
      "missing",
      `The snapshot of coins that was loaded is not confirmed yet, and ${hindrance} needs blocks that are fetched until ` +
        `then. Switch that off, and on again when getchainstates says that the snapshot is validated.`
    )
  }
  const [base, tip] = [nodeOf(tree, atStart.base), nodeOf(tree, atStart.tip)]
  const known = knownSnapshotAt(parts, atStart.base)
  if (base === undefined || tip === undefined || known === undefined) {
    return refusal(
      "corrupt",
      `The database of the chain does not fit together: the block of its snapshot is not known. Run ${
        asTyped("rebuild")
      }, which makes it anew from the block files.`
    )
  }
  return { base, known, background: { tip, coins: atStart.coins }, whenReached: () => {}, comparison: undefined }
}
