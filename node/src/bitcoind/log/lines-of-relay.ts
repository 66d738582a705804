import { basename } from "node:path"
import { displayHash } from "../../hex.ts"
import type { LinesBy } from "./lines-by.ts"
import { inDetail, info } from "./core-line.ts"

/** The lines about transactions and addresses that peers send. */
export const OF_RELAY = {
  TransactionRefused: ({ peer, reason, txid, wtxid }) => [
    inDetail(
      "mempoolrej",
      `${displayHash(txid)} (wtxid=${displayHash(wtxid)}) from peer=${peer} was not accepted: ${reason}`
    )
  ],
  DataRequested: ({ entries, first, peer }) => [
    inDetail("net", `received getdata (${entries} invsz) peer=${peer}`),
    ...first === undefined ? [] : [inDetail("net", `received getdata for: ${first} peer=${peer}`)]
  ],
  OrphanHopeless: ({ txid, wtxid }) => [
    inDetail(
      "mempool",
      `not keeping orphan with rejected parents ${displayHash(txid)} (wtxid=${displayHash(wtxid)})`
    )
  ],
  OrphansErased: ({ count }) => [
    inDetail("txpackages", `Erased ${count} orphan transaction(s) included or conflicted by block`)
  ],
  AddressFileMissing: ({ path }) => [
    info(`Creating ${basename(path)} because the file was not found ("${path}")`)
  ],
  AddressFound: ({ address }) => [inDetail("addrman", `Added ${address} to new`)],
  AddressesAdded: ({ added, from, sent }) =>
    added === 0 ? [] : [inDetail("addrman", `Added ${added} addresses (of ${sent}) from ${from}`)],
  GetAddrRepeated: ({ peer }) => [inDetail("net", `Ignoring repeated "getaddr". peer=${peer}`)]
} satisfies Partial<LinesBy>
