import * as Schema from "effect/Schema"
import type { SyncStatus } from "../p2p/sync/sync-status.ts"
import { method } from "./definition/method.ts"
import { optionalDescribed, Time, described } from "../answers/result-schema.ts"
import { fromNetwork } from "./network/running-network.ts"

const Status = Schema.Struct({
  stage: described(
    Schema.Literals(["Initial", "Headers", "Blocks", "Synced", "Error"]),
    "How far the sync with other nodes is"
  ),
  since: described(Time, "Since when it has been at this stage"),
  error: optionalDescribed(Schema.String, "Why it cannot go on, at the stage Error"),
  progress_percent: described(
    Schema.Number,
    "How much of the sync is done: headers up to 30, blocks up to 60, 100 when it is over"
  ),
  blocks: described(Schema.Number, "The height of the best chain of valid blocks"),
  headers: described(Schema.Number, "The height of the best chain of headers"),
  target_height: described(Schema.Number, "The height that headers should reach, by the age of the best one"),
  verificationprogress: described(Schema.Number, "How much of the chain is verified, 0 to 1, from transaction counts"),
  initialblockdownload: described(Schema.Boolean, "Whether the node is still catching up"),
  blocks_per_second: described(Schema.Number, "Blocks connected a second, over the last ten seconds"),
  inputs_per_second: described(Schema.Number, "Inputs of these blocks a second"),
  eta_seconds: optionalDescribed(Schema.Number, "Seconds until all is verified at that rate, where that is known"),
  peers: described(Schema.Number, "Peers of the node"),
  headers_peers: described(Schema.Number, "Peers that headers are requested from"),
  blocks_peers: described(Schema.Number, "Peers that blocks are requested from"),
  blocks_in_flight: described(Schema.Number, "Blocks that are requested"),
  presynced_headers: optionalDescribed(Schema.Number, "The height that header presync has reached, while there is one"),
  cache_bytes: described(Schema.Number, "Bytes of the cache of coins")
})

const rounded = (value: number, places: number): number => Number(value.toFixed(places))

const answerOf = (status: SyncStatus): typeof Status.Type => ({
  stage: status.stage,
  since: Math.floor(status.since / 1_000),
  error: status.error,
  progress_percent: rounded(status.percent, 2),
  blocks: status.height,
  headers: status.headers,
  target_height: status.target,
  verificationprogress: status.verified,
  initialblockdownload: status.initialBlockDownload,
  blocks_per_second: rounded(status.rates.blocksPerSecond, 1),
  inputs_per_second: Math.round(status.rates.inputsPerSecond),
  eta_seconds: status.rates.remaining,
  peers: status.peers,
  headers_peers: status.headersFrom,
  blocks_peers: status.blocksFrom,
  blocks_in_flight: status.blocksInFlight,
  presynced_headers: status.presynced,
  cache_bytes: status.cacheBytes
})

export const getsyncstatus = method({
  name: "getsyncstatus",
  category: "lockstep",
  privilege: "anyone",
  description: "Answers how far the node is with following the chain of other nodes.",
  parameters: {},
  result: Status,
  examples: [{ params: [] }],
  call: (_, node) => fromNetwork(node, ({ syncStatus }) => answerOf(syncStatus()))
})
