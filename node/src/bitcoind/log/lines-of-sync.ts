import type { LinesBy } from "./lines-by.ts"
import { inDetail, info } from "./core-line.ts"

/** The lines about headers and blocks that are fetched. */
export const OF_SYNC = {
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
