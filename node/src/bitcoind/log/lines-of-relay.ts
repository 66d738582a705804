import { basename } from "node:path"
import { displayHash } from "../../hex.ts"
import type { BothIds } from "../../runtime/relay-happening.ts"
import type { LinesBy } from "./lines-by.ts"
import { inDetail, info } from "./core-line.ts"

const net = (text: string) => [inDetail("net", text)]

const txpackages = (text: string) => [inDetail("txpackages", text)]

const named = ({ txid, wtxid }: BothIds): string => `${displayHash(txid)} (wtxid=${displayHash(wtxid)})`

/** Core: `PackageToValidate::ToString`. */
const member = ({ txid, wtxid }: BothIds, peer: number): string =>
  `${displayHash(txid)} (wtxid=${displayHash(wtxid)}, sender=${peer})`

/** Log lines about transactions and addresses from peers. */
export const OF_RELAY = {
  TransactionRefused: ({ peer, reason, txid, wtxid }) => [
    inDetail(
      "mempoolrej",
      `${named({ txid, wtxid })} from peer=${peer} was not accepted: ${reason}`
    )
  ],
  DataRequested: ({ entries, first, peer }) => [
    inDetail("net", `received getdata (${entries} invsz) peer=${peer}`),
    ...first === undefined ? [] : [inDetail("net", `received getdata for: ${first} peer=${peer}`)]
  ],
  OrphanHopeless: (ids) => [inDetail("mempool", `not keeping orphan with rejected parents ${named(ids)}`)],
  OrphanAnnounced: ({ peer, ...ids }) => txpackages(`added peer=${peer} as announcer of orphan tx ${named(ids)}`),
  OrphanAssigned: ({ peer, ...ids }) => txpackages(`added ${named(ids)} to peer ${peer} workset`),
  OrphanRemoved: ({ announcements, ...ids }) =>
    txpackages(`removed orphan tx ${named(ids)} (${announcements} announcements)`),
  OrphanStored: ({ announcements, outpoints, weight, ...ids }) =>
    txpackages(`stored orphan tx ${named(ids)}, weight: ${weight} (mapsz ${announcements} outsz ${outpoints})`),
  OrphanTooLarge: ({ txid, weight, wtxid }) =>
    txpackages(
      `ignoring large orphan tx (size: ${weight}, txid: ${displayHash(txid)}, wtxid: ${displayHash(wtxid)})`
    ),
  OrphanageOverflow: ({ announcements, orphans }) =>
    txpackages(`orphanage overflow, removed ${orphans} tx (${announcements} announcements)`),
  OrphansErased: ({ count }) => txpackages(`Erased ${count} orphan transaction(s) included or conflicted by block`),
  OrphansOfPeerErased: ({ orphans, peer }) => txpackages(`Erased ${orphans} orphan transaction(s) from peer=${peer}`),
  PackageJudged: ({ child, isAccepted, parent, peer }) =>
    txpackages(
      `package evaluation for parent ${member(parent, peer)} + child ${member(child, peer)}: package ${
        isAccepted ? "accepted" : "rejected"
      }`
    ),
  TransactionForced: ({ isInMempool, peer, ...ids }) => [
    info(
      isInMempool
        ? `Force relaying tx ${named(ids)} from peer=${peer}`
        : `Not relaying non-mempool transaction ${named(ids)} from forcerelay peer=${peer}`
    )
  ],
  AddressAdvertised: ({ address, peer }) => net(`Advertising address ${address} to peer=${peer}`),
  AddressesIgnored: ({ command, peer }) => net(`ignoring ${command} message from block-relay-only peer=${peer}`),
  AddressesReceived: ({ limited, peer, processed, received }) =>
    net(`Received addr: ${received} addresses (${processed} processed, ${limited} rate-limited) from peer=${peer}`),
  AddrmanCheck: ({ fresh, total, tried }) => [
    inDetail("addrman", `CheckAddrman: new ${fresh}, tried ${tried}, total ${total} started`)
  ],
  AddrmanChecked: () => [inDetail("addrman", "CheckAddrman: completed")],
  GetAddrIgnored: ({ kind, peer }) => net(`Ignoring "getaddr" from ${kind} connection. peer=${peer}`),
  AddressFileMissing: ({ path }) => [
    info(`Creating ${basename(path)} because the file was not found ("${path}")`)
  ],
  AddressFound: ({ address }) => [inDetail("addrman", `Added ${address} to new`)],
  AddressesAdded: ({ added, from, sent }) =>
    added === 0 ? [] : [inDetail("addrman", `Added ${added} addresses (of ${sent}) from ${from}`)],
  GetAddrRepeated: ({ peer }) => net(`Ignoring repeated "getaddr". peer=${peer}`)
} satisfies Partial<LinesBy>
