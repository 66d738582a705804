import { displayHash, hexOfNumber } from "../../hex.ts"
import type { PresyncNews } from "../../runtime/sync-happening.ts"
import type { LinesBy } from "./lines-by.ts"
import { inDetail, info } from "./core-line.ts"

const net = (text: string) => [inDetail("net", text)]

/** Core: `HeadersSyncState` of a peer. */
const presyncText = (news: PresyncNews, peer: number): string => {
  const line = (what: string, text: string): string => `Initial headers sync ${what} with peer=${peer}: ${text}`
  switch (news._tag) {
    case "Aborted":
      return line("aborted", `${news.why} at height=${news.height} (${news.phase} phase)`)
    case "Completed":
      return line("complete", `releasing all at height=${news.height} (redownload phase)`)
    case "Sufficient":
      return line(
        "transition",
        `reached sufficient work at height=${news.height}, redownloading from height=${news.start}`
      )
    case "Started": {
      const { height, minimumWork, mostCommitments } = news
      return line(
        "started",
        `height=${height}, max_commitments=${mostCommitments}, min_work=${hexOfNumber(minimumWork)}`
      )
    }
  }
}

/** Core: lines about a `cmpctblock` that is ignored. */
const ignoredText = (why: "already syncing" | "low work" | "unsolicited", peer: number): string => {
  switch (why) {
    case "already syncing":
      return "Peer sent us compact block we were already syncing!"
    case "low work":
      return `Ignoring low-work compact block from peer ${peer}`
    case "unsolicited":
      return `Peer ${peer}, not marked as high-bandwidth, sent us an unsolicited compact block!`
  }
}

/** Log lines about headers and blocks that are downloaded. */
export const OF_SYNC = {
  BlockTransactionsUnexpected: ({ peer }) =>
    net(`Peer ${peer} sent us block transactions for block we weren't expecting`),
  BlockTransactionsUnserved: ({ deeperThan, peer }) =>
    net(
      `Peer ${peer} sent us a getblocktxn for a block ${
        deeperThan === undefined ? "we don't have" : `> ${deeperThan} deep`
      }`
    ),
  CompactBlockFailed: ({ peer }) =>
    net(`Peer ${peer} sent us a compact block but it failed to reconstruct, waiting on first download to complete`),
  CompactBlockIgnored: ({ peer, why }) => net(ignoredText(why, peer)),
  CompactBlockRebuilt: ({ extra, found, hash, prefilled, requested, requestedBytes }) => [
    inDetail(
      "cmpctblock",
      `Successfully reconstructed block ${
        displayHash(hash)
      } with ${prefilled} txn prefilled, ${found} txn from mempool ` +
        `(incl at least ${extra} from extra pool) and ${requested} txn (${requestedBytes} bytes) requested`
    )
  ],
  HeaderSeen: ({ hash, height, isDownloading, peer, via }) => {
    const how = via === "cmpctblock" ? "cmpctblock " : ""
    const text = `Saw new ${how}header hash=${displayHash(hash)} height=${height} peer=${peer}`
    return [isDownloading ? inDetail("validation", text) : info(text)]
  },
  HeadersUnconnected: ({ hash, height, peer, previous }) =>
    net(
      `received header ${displayHash(hash)}: missing prev block ${displayHash(previous)}, ` +
        `sending getheaders (${height}) to end (peer=${peer})`
    ),
  OldBlockRequested: ({ peer }) => net(`ignoring request from peer=${peer} for old block that isn't in the main chain`),
  OldChain: ({ best, peer }) =>
    net(
      `Outbound peer has old chain, best known block = ${
        best === undefined ? "<none>" : displayHash(best)
      }, disconnecting peer=${peer}`
    ),
  PeerProtected: ({ peer }) => net(`Protecting outbound peer=${peer} from eviction`),
  Presync: ({ news, peer }) => net(presyncText(news, peer)),
  ReorganizationTooLarge: ({ hash, height }) =>
    net(`Large reorg, won't direct fetch to ${displayHash(hash)} (${height})`),
  HeadersRequested: ({ height, peer, startHeight }) => [
    inDetail("net", `initial getheaders (${height}) to peer=${peer} (startheight:${startHeight})`)
  ],
  LowWorkChainIgnored: ({ height, peer }) => [
    inDetail("net", `Ignoring low-work chain (height=${height}) from peer=${peer}`)
  ],
  HeadersPresynced: ({ height, progress }) => [
    info(`Pre-synchronizing blockheaders, height: ${height} (~${progress.toFixed(2)}%)`)
  ],
  HeadersStored: ({ height, progress }) => [
    info(`Synchronizing blockheaders, height: ${height} (~${progress.toFixed(2)}%)`)
  ],
  HeadersTimeout: ({ isKept, peer }) => [
    info(`Timeout downloading headers${isKept ? " from noban peer, not" : ","} disconnecting peer=${peer}`)
  ],
  StallStarted: ({ peer }) => [inDetail("net", `Stall started peer=${peer}`)],
  StallTimeoutChanged: ({ isLonger, seconds }) => [
    inDetail(
      "net",
      isLonger
        ? `Increased stalling timeout temporarily to ${seconds} seconds`
        : `Decreased stalling timeout to ${seconds} seconds`
    )
  ]
} satisfies Partial<LinesBy>
