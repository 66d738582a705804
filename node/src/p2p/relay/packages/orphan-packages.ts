import { bytesEqual } from "@lockstep/kernel/bytes"
import { packageHash } from "@lockstep/kernel/relay"
import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { UnixMilliseconds } from "../../../quantities.ts"
import type { P2pContext } from "../../peer/p2p-context.ts"
import type { Peer } from "../../peer/peer.ts"
import type { MessageHandlers, RawHandlers } from "../../peer/peer-part.ts"
import type { PeerRelay } from "../peer-relay.ts"
import { parentTxids } from "../scan-transaction.ts"
import type { SeenTransactions } from "../already-have-tx.ts"
import type { TxDownload } from "../transaction-intake.ts"
import { relaysPackages } from "../../peer/negotiation.ts"
import { packageJudge } from "./package-judge.ts"
import { PACKAGE_LIMITS } from "./package-limits.ts"
import { packageMessages } from "./package-messages.ts"
import { type PackageRequest, packageRequests } from "./package-requests.ts"

/** Resolves orphans by packages (BIP331). From peers that relay packages, no parent is requested by txid. */
export interface OrphanPackages {
  /** Requests the ancestors of an orphan. Returns false if its parents have to be requested by txid. */
  readonly want: (peer: Peer, orphan: Uint8Array, now: UnixMilliseconds) => boolean
  /** Processes a `notfound` of a peer that lacks the requested ancestors or transactions. */
  readonly notFound: (peer: Peer, entry: InventoryEntry) => void
  readonly handlers: MessageHandlers
  readonly raw: RawHandlers
  readonly tickAll: (now: UnixMilliseconds) => void
  readonly gone: (peer: number) => void
}

export interface OrphanPackagesOptions {
  readonly context: P2pContext
  readonly peers: ReadonlyMap<number, PeerRelay>
  readonly settled: SeenTransactions
  readonly takePackage: TxDownload["takePackage"]
  /** Requests parents by txid. */
  readonly wantParents: (from: PeerRelay, parents: ReadonlyArray<Uint8Array>, now: UnixMilliseconds) => void
}

export const orphanPackages = (
  { context, peers, settled, takePackage, wantParents }: OrphanPackagesOptions
): OrphanPackages => {
  const { crypto, environment } = context
  const { alreadyHaveTx, orphans } = settled
  const requests = packageRequests()
  let tidyAt = 0

  const want = (peer: Peer, orphan: Uint8Array, now: UnixMilliseconds): boolean => {
    if (!relaysPackages(peer)) return false
    // If that peer fails, this one is next, as it is an announcer of the orphan.
    if (requests.isUnderWay(orphan)) return true
    if (requests.begin(peer.id, orphan, now) === undefined) return false
    peer.send({ command: "getdata", inventory: [{ type: InventoryType.ANCESTOR_PACKAGE, hash: orphan }] })
    return true
  }

  /** Tries another announcer of the orphan. Without one, its parents are requested by txid. */
  const giveUp = ({ orphan: wtxid }: PackageRequest): void => {
    const orphan = orphans.get(wtxid)
    if (orphan === undefined) return
    const now = environment.now()
    const announcers = [...orphan.announcers].flatMap((id) => peers.get(id) ?? [])
    if (announcers.some(({ peer }) => want(peer, wtxid, now))) return
    const parents = parentTxids(orphan.transaction).filter((hash) => !alreadyHaveTx({ hash, isWtxid: false }))
    for (const from of announcers) wantParents(from, parents, now)
  }

  const failed = (request: PackageRequest): void => {
    requests.end(request)
    if (!request.isLate) giveUp(request)
  }

  const messages = packageMessages({
    context,
    peers,
    requests,
    settled,
    judge: packageJudge({ context, settled, takePackage }),
    failed
  })

  return {
    want,
    notFound: (peer, { hash, type }) => {
      for (const request of requests.of(peer.id)) {
        const isIt = type === InventoryType.ANCESTOR_PACKAGE
          ? request.ancestors === undefined && bytesEqual(request.orphan, hash)
          : request.ancestors !== undefined && bytesEqual(packageHash(request.wanted, crypto), hash)
        if (isIt) failed(request)
      }
    },
    handlers: { ancpkginfo: messages.ancestors },
    raw: { pkgtxns: messages.transactions },
    tickAll: (now) => {
      for (const request of requests.overdue(now)) giveUp(request)
      if (now < tidyAt) return
      tidyAt = now + PACKAGE_LIMITS.tidying.most
      requests.tidy(orphans.has)
    },
    gone: (peer) => {
      for (const request of requests.gone(peer)) giveUp(request)
    }
  }
}
