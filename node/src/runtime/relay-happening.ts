import type { Kinds, Plain } from "./words.ts"

/** The two ids of a transaction. */
export interface TransactionIds {
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
}

/** Events about transactions and addresses that peers send. */
export type RelayHappening =
  | Plain<"AddrmanChecked">
  | Kinds<{
    AddressAdvertised: { peer: number; address: string }
    /** A peer with which no addresses are exchanged sent some. */
    AddressesIgnored: { peer: number; command: string }
    AddressesReceived: { peer: number; received: number; processed: number; limited: number }
    AddrmanCheck: { fresh: number; tried: number; total: number }
    GetAddrIgnored: { peer: number; kind: string }
    OrphanAnnounced: TransactionIds & { peer: number }
    OrphanAssigned: TransactionIds & { peer: number | undefined }
    OrphanRemoved: TransactionIds & { announcements: number }
    OrphanStored: TransactionIds & { weight: number; announcements: number; outpoints: number }
    OrphanTooLarge: TransactionIds & { weight: number }
    OrphanageOverflow: { orphans: number; announcements: number }
    OrphansOfPeerErased: { orphans: number; peer: number }
    PackageJudged: { parent: TransactionIds; child: TransactionIds; peer: number; isAccepted: boolean }
    /** A peer that is permitted to ask for it sent a transaction again. */
    TransactionForced: TransactionIds & { peer: number; isInMempool: boolean }
  }>
