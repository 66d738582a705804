import { displayHash } from "../../../hex.ts"
import type { ScannedTransaction } from "../scan-transaction.ts"
import type { OrphanRecords } from "./orphan-records.ts"

/** Takes a line about the orphanage, which is made only where one is wanted. */
export type NoteOrphans = (line: () => string) => void

const idsOf = ({ txid, wtxid }: ScannedTransaction): string => `${displayHash(txid)} (wtxid=${displayHash(wtxid)})`

/** What comes and goes, in the words of Bitcoin Core's log. */
export const orphanLines = (note: NoteOrphans) => ({
  tooLarge: ({ txid, weight, wtxid }: ScannedTransaction): void =>
    note(() => `ignoring large orphan tx (size: ${weight}, txid: ${displayHash(txid)}, wtxid: ${displayHash(wtxid)})`),
  stored: (transaction: ScannedTransaction, { announcements, byOutpoint }: OrphanRecords): void =>
    note(() =>
      `stored orphan tx ${idsOf(transaction)}, weight: ${transaction.weight} ` +
      `(mapsz ${announcements} outsz ${byOutpoint.size})`
    ),
  announced: (transaction: ScannedTransaction, peer: number): void =>
    note(() => `added peer=${peer} as announcer of orphan tx ${idsOf(transaction)}`),
  assigned: (transaction: ScannedTransaction, peer: number | undefined): void =>
    note(() => `added ${idsOf(transaction)} to peer ${peer} workset`),
  removed: (transaction: ScannedTransaction, announcements: number): void =>
    note(() => `removed orphan tx ${idsOf(transaction)} (${announcements} announcements)`),
  overflow: (orphans: number, announcements: number): void =>
    note(() => `orphanage overflow, removed ${orphans} tx (${announcements} announcements)`),
  gone: (orphans: number, peer: number): void => note(() => `Erased ${orphans} orphan transaction(s) from peer=${peer}`)
})
