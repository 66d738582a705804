import type { Limit } from "@lockstep/protocol/wire/limits.ts"
import { MILLISECONDS } from "../../units.ts"

/** Limits on serving peers. */
export const SERVING_LIMITS = {
  inventoryOfBlocks: { most: 500, unit: "hashes that answer getblocks", source: "Core ProcessMessage getblocks" },
  compactDepth: {
    most: 5,
    unit: "blocks below the tip that are served as compact blocks",
    source: "Core MAX_CMPCTBLOCK_DEPTH"
  },
  transactionsDepth: {
    most: 10,
    unit: "blocks below the tip whose transactions are served",
    source: "Core MAX_BLOCKTXN_DEPTH"
  },
  keptBlocks: {
    most: 290,
    unit: "blocks below the tip that a pruned node serves",
    source: "Core NODE_NETWORK_LIMITED_MIN_BLOCKS + 2"
  },
  blocksKept: { most: 288, unit: "blocks below the tip that pruning leaves", source: "Core MIN_BLOCKS_TO_KEEP" },
  staleAge: {
    most: 30 * MILLISECONDS.day,
    unit: "milliseconds that a stale block is served",
    source: "Core STALE_RELAY_AGE_LIMIT"
  },
  historicAge: {
    most: 7 * MILLISECONDS.day,
    unit: "milliseconds after which a block is historical, which the upload target limits first",
    source: "Core HISTORICAL_BLOCK_AGE"
  },
  uploadCycle: {
    most: MILLISECONDS.day,
    unit: "milliseconds in which the upload target may be used up",
    source: "Core MAX_UPLOAD_TIMEFRAME"
  },
  directFetch: { most: 20, unit: "block intervals within which a tip is new", source: "Core CanDirectFetch" },
  slice: {
    most: 500,
    unit: "requested items looked up before other peers have their turn",
    source: "CVE-2024-52920"
  },
  checkpointInterval: {
    most: 1_000,
    unit: "blocks from one filter checkpoint to the next",
    source: "BIP157; Core CFCHECKPT_INTERVAL"
  },
  cachedCheckpoints: {
    most: 2_000,
    unit: "filter headers of checkpoints that are remembered",
    source: "Core CF_HEADERS_CACHE_MAX_SZ"
  },
  filteredAtATime: {
    most: 100_000,
    unit: "bytes of a block matched with a bloom filter before other peers have their turn",
    source: "hostile: filter floods"
  },
  filtersAtATime: {
    most: 100,
    unit: "filters read before the next are requested of the index",
    source: "4 MB at most"
  },
  denied: { most: 100_000, unit: "hashes of each list of what is not served", source: "contract: bounded snapshot" }
} satisfies Readonly<Record<string, Limit>>
