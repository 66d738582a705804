import { bytesEqual } from "@lockstep/kernel/bytes"
import type { AssumeUtxo } from "@lockstep/protocol/networks/network.ts"
import { StorageError } from "../../storage/storage-error.ts"
import { asTyped } from "../../typed-command.ts"
import type { EngineParts } from "../chain-engine.ts"
import type { EngineOptions } from "../engine-options.ts"
import { INDEX_SWITCHES, INDEXES, type IndexSwitches } from "../index-switches.ts"
import { nodeOf, type HeaderIndex } from "../header-index/header-index.ts"
import type { Snapshot } from "./snapshot.ts"

/** The snapshot with this base that the network vouches for. */
export const knownSnapshotAt = ({ network }: Pick<EngineParts, "network">, base: Uint8Array): AssumeUtxo | undefined =>
  network.assumeUtxo.find(({ hash }) => bytesEqual(hash, base))

/** What of the options needs blocks that are not here before a snapshot is confirmed. None: nothing. */
export const needsAllBlocks = (options: IndexSwitches & Pick<EngineOptions, "pruning">): string | undefined => {
  if (options.pruning._tag !== "Disabled") return "pruning"
  const index = INDEX_SWITCHES.find((each) => options[each])
  return index && INDEXES[index].called
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
