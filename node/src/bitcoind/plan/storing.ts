import { resolve } from "node:path"
import type { Pruning } from "../../engine/options/engine-options.ts"
import { utf8Path } from "../../bytes/byte-path.ts"
import { isDirectory, pathOf } from "../args/directories.ts"
import { clamp, type PlanDraft, numberGiven } from "./draft.ts"
import { fileSystemErrorText } from "../args/file-system-error.ts"
import { MEBIBYTE } from "../../units.ts"

/** Plan for the block files, and for rebuilding data at a start. */
export interface StoragePlan {
  readonly blocks: string
  /** Maximum size of a block file; `undefined` for the default. */
  readonly blockFileBytes: number | undefined
  /** True if block files may be obfuscated with a key. */
  readonly isXored: boolean
  readonly rebuild: boolean
  readonly rebuildsCoins: boolean
  readonly load: ReadonlyArray<string>
  /** Bytes for the cache of transactions whose scripts are known to be valid. */
  readonly scriptCacheBytes: number
}

/** Maximum size of a block file with `-fastprune`, in bytes. */
const SMALL_FILE = 65_536
const MOST_MEBIBYTES = 1_000_000_000
const SMALL_MACHINE = 4 * 1024 * MEBIBYTE
const LEAST_TARGET = 550

/**
 * Maximum of `-maxsigcachesize` in MiB. Core uses one half for signatures and one for transactions; this node caches
 * only transactions.
 */
const MOST_SCRIPT_CACHE = 2_048

const planPruning = (draft: PlanDraft): Pruning["_tag"] => {
  const { args, problems, values } = draft
  const size = numberGiven(draft, "prune", 0)
  if (size < 0) problems.push("Prune cannot be configured with a negative value.")
  else if (size > 1 && size < LEAST_TARGET) {
    problems.push("Prune configured below the minimum of 550 MiB.  Please use a higher number.")
  }
  if (size <= 0) return "Disabled"
  if (args.flag("txindex") === true) problems.push("Prune mode is incompatible with -txindex.")
  if (args.flag("txospenderindex") === true) problems.push("Prune mode is incompatible with -txospenderindex.")
  if (args.flag("reindex-chainstate") === true) {
    problems.push("Prune mode is incompatible with -reindex-chainstate. Use full -reindex instead.")
  }
  if (size === 1) values.set("storage.pruning.mode", "manual")
  else values.set("storage.pruning.target_mb", clamp(size, LEAST_TARGET, MOST_MEBIBYTES))
  return size === 1 ? "Manual" : "TargetSize"
}

const planFilters = ({ args, problems, values }: PlanDraft): void => {
  const types = args.list("blockfilterindex")
  const unknown = types.find((type) => !["", "0", "1", "basic"].includes(type))
  if (unknown !== undefined) problems.push(`Unknown -blockfilterindex value ${unknown}.`)
  const isKept = types.some((type) => type !== "0") && !args.isNegated("blockfilterindex")
  values.set("storage.indexing.blockfilterindex", isKept)
  if (args.flag("peerblockfilters") === true && !isKept) {
    problems.push("Cannot set -peerblockfilters without -blockfilterindex.")
  }
  values.set("connections.serve_block_filters", (args.flag("peerblockfilters") ?? false) && isKept)
}

const HASH = /^(?:0x)?([0-9a-fA-F]{0,64})$/

const planAssumed = ({ args, problems, values }: PlanDraft): void => {
  const text = args.text("assumevalid")
  if (text === undefined) return
  const [, digits] = HASH.exec(text) ?? []
  if (digits === undefined) {
    problems.push(
      `Invalid assumevalid block hash specified (${text}), must be up to 64 hex digits (or 0 to disable)`
    )
  } else {
    const hash = digits.padStart(64, "0")
    values.set("validation.assume_valid", /^0+$/.test(hash) ? "none" : hash)
  }
}

/** Bitcoin Core's default in MiB, and the one for a machine with little memory. */
const USUAL_CACHE = 1_024
const SMALL_CACHE = 450

/** The minimum, and the maximum that the store can use, in MiB. */
const CACHE = { least: 4, most: 131_072 } as const

/** Memory below which only the small cache is safe. Above it, three quarters of the memory are. */
const LITTLE_MEMORY = 2 * 1_024 * MEBIBYTE
const LARGE_SHARE = 75 / 100

/** Core: `CheckDiskSpace`. Nothing is written if fewer MiB than this are free. */
const LEAST_FREE = 50

const planCache = (draft: PlanDraft): void => {
  const { memoryBytes, values, warnings } = draft
  const usual = memoryBytes < SMALL_MACHINE ? SMALL_CACHE : USUAL_CACHE
  const wanted = Math.max(CACHE.least, numberGiven(draft, "dbcache", usual))
  const safe = memoryBytes < LITTLE_MEMORY ? SMALL_CACHE * MEBIBYTE : memoryBytes * LARGE_SHARE
  if (wanted * MEBIBYTE > safe) {
    const memory = Math.floor(memoryBytes / MEBIBYTE)
    warnings.push(`A ${wanted} MiB dbcache may be too large for a system memory of only ${memory} MiB.`)
  }
  values.set("storage.dbcache_mb", Math.min(wanted, CACHE.most))
}

const blocksOf = ({ args, base, network, place, problems }: PlanDraft): string => {
  const given = pathOf(args.value("blocksdir"))
  if (given === undefined) return resolve(base, network.coreDirectory, "blocks")
  const root = utf8Path(resolve(place.directory, given))
  try {
    if (!isDirectory(root)) problems.push(`Specified blocks directory "${root}" does not exist.`)
  } catch (error) {
    problems.push(fileSystemErrorText(error, "-blocksdir"))
  }
  return resolve(root, network.coreDirectory, "blocks")
}

/** Plans storage: pruning, indexes, caches and block files. */
export const planStorage = (draft: PlanDraft): StoragePlan => {
  const { args, processors, values } = draft
  planPruning(draft)
  planFilters(draft)
  planAssumed(draft)
  values.set("storage.indexing.txindex", args.flag("txindex") ?? false)
  values.set("storage.indexing.txospenderindex", args.flag("txospenderindex") ?? false)
  values.set("storage.indexing.coinstatsindex", args.flag("coinstatsindex") ?? false)
  planCache(draft)
  values.set("storage.min_free_disk_mb", LEAST_FREE)
  const threads = numberGiven(draft, "par", 0)
  values.set("validation.script_workers", threads < 0 ? Math.max(1, processors + threads) : Math.min(threads, 16))
  return {
    blocks: blocksOf(draft),
    blockFileBytes: args.flag("fastprune") === true ? SMALL_FILE : undefined,
    isXored: args.flag("blocksxor") ?? true,
    rebuild: args.flag("reindex") === true,
    rebuildsCoins: args.flag("reindex") !== true && args.flag("reindex-chainstate") === true,
    scriptCacheBytes: Math.floor(clamp(numberGiven(draft, "maxsigcachesize", 32), 0, MOST_SCRIPT_CACHE) * MEBIBYTE / 2),
    load: args.list("loadblock")
  }
}
