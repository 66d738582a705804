import { bytesEqual } from "@lockstep/kernel/bytes"
import { networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ChainState } from "../../engine/api/chain-state.ts"
import { displayHash } from "../../hex.ts"
import type { CoreLine } from "../log/core-line.ts"
import type { Plan } from "../plan/plan.ts"

/**
 * The directory `chainstate_snapshot`, which shows programs and operators that a chain began with a snapshot of coins.
 * Bitcoin Core keeps the coins there too. Here they are in the store of the chain, and the directory holds the hash of
 * the base block.
 */
export interface SnapshotDirectory {
  /** Returns the error that ends the start if the directory names a base block that no release knows. */
  readonly fault: () => string | undefined
  /** Removes the directory if its snapshot is confirmed, once the chain is open. */
  readonly opened: (state: ChainState) => void
  /** Creates the directory once a snapshot is loaded. */
  readonly changed: (state: ChainState) => void
}

const HASH_BYTES = 32

export const snapshotDirectory = (
  { changes, config: { network }, storage: { rebuild, rebuildsCoins } }: Plan,
  directory: string,
  write: (line: CoreLine) => void
): SnapshotDirectory => {
  const path = join(directory, "chainstate_snapshot")
  const file = join(path, "base_blockhash")
  const remove = (): void => rmSync(path, { recursive: true, force: true })

  const changed = ({ snapshot }: ChainState): void => {
    if (snapshot?.background === undefined || existsSync(file)) return
    mkdirSync(path, { recursive: true, mode: 0o700 })
    writeFileSync(file, snapshot.hash, { mode: 0o600 })
  }

  return {
    fault: () => {
      if (!existsSync(path)) return undefined
      if (rebuild || rebuildsCoins) {
        write({ level: "info", text: "[snapshot] deleting snapshot chainstate due to reindexing" })
        remove()
        return undefined
      }
      const base = existsSync(file) ? readFileSync(file) : undefined
      if (base?.length !== HASH_BYTES) {
        const text =
          `[snapshot] snapshot chainstate dir is malformed! no base blockhash file exists at path ${file}. ` +
          `Try deleting ${path} and calling loadtxoutset again?`
        write({ level: "warning", text })
        return undefined
      }
      return networkWith(network, changes).assumeUtxo.some(({ hash }) => bytesEqual(hash, base))
        ? undefined
        : "A fatal internal error occurred, see debug.log for details: Assumeutxo data not found for the given " +
          `blockhash '${displayHash(base)}'.`
    },
    opened: (state) => {
      if (state.snapshot !== undefined) return changed(state)
      if (!existsSync(file)) return
      write({ level: "info", text: "[snapshot] cleaning up unneeded background chainstate, then reinitializing" })
      remove()
    },
    changed
  }
}
