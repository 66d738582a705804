import { bytesEqual } from "@lockstep/kernel/bytes"
import type { AssumeUtxo } from "@lockstep/protocol/networks/network.ts"
import { StorageError } from "../../storage/storage-error.ts"
import { asTyped } from "../../typed-command.ts"
import type { EngineParts } from "../state/chain-engine.ts"
import { nodeOf, type HeaderIndex } from "../header-index/header-index.ts"
import type { Snapshot } from "../state/snapshot.ts"

/** Returns the snapshot with this base that the network's parameters contain. */
export const knownSnapshotAt = ({ network }: Pick<EngineParts, "network">, base: Uint8Array): AssumeUtxo | undefined =>
  network.assumeUtxo.find(({ hash }) => bytesEqual(hash, base))

const refusal = (reason: StorageError["reason"], message: string): StorageError =>
  new StorageError({ part: "key-value", operation: "start", reason, message })

/** Opens the snapshot that the last run loaded and did not confirm. Returns `undefined` without one. */
export const openSnapshot = (parts: EngineParts, tree: HeaderIndex): Snapshot | StorageError | undefined => {
  const { chainstates: { atStart } } = parts
  if (atStart === undefined) return undefined
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
