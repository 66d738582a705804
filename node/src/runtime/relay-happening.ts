import type { Kinds, Plain } from "./words.ts"

/** The two ids of a transaction. */
export interface BothIds {
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
    OrphanAnnounced: BothIds & { peer: number }
    OrphanAssigned: BothIds & { peer: number | undefined }
    OrphanRemoved: BothIds & { announcements: number }
    OrphanStored: BothIds & { weight: number; announcements: number; outpoints: number }
    OrphanTooLarge: BothIds & { weight: number }
    OrphanageOverflow: { orphans: number; announcements: number }
    OrphansOfPeerErased: { orphans: number; peer: number }
    PackageJudged: { parent: BothIds; child: BothIds; peer: number; isAccepted: boolean }
    /** A peer that is permitted to ask for it sent a transaction again. */
    TransactionForced: BothIds & { peer: number; isInMempool: boolean }
  }>
