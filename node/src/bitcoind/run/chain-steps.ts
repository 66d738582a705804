import { networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Chain, EngineFailure } from "../../engine-client/chain.ts"
import type { AssumedValid } from "../../engine/options/engine-options.ts"
import type { EngineFault } from "../../engine/api/engine-error.ts"
import { displayHash } from "../../hex.ts"
import type { CoreLine } from "../log/core-line.ts"
import { VERIFICATION_LINES } from "../log/lines-of-verification.ts"
import type { Plan } from "../plan/plan.ts"
import { diskWarning } from "./disk-warning.ts"

type Say = (text: string) => void

/** Outputs for the progress and the warnings of a start. */
export interface StartVoice {
  readonly say: Say
  readonly write: (line: CoreLine) => void
  /** Writes a warning that the operator also sees. */
  readonly warn: Say
}

/** Returns the block whose ancestors' scripts are not checked, or `undefined` if all are checked. */
const assumedText = (chosen: AssumedValid, usual: Network["assumedValid"]): string | undefined => {
  if (chosen._tag === "Block") return chosen.hash
  return chosen._tag === "NetworkDefault" && usual !== undefined ? displayHash(usual.hash) : undefined
}

/** Returns the log lines before the chain is opened. */
export const openingLines = (
  { changes, config: { dataDirectory, network, storage, validation }, storage: { rebuild, rebuildsCoins } }: Plan
): ReadonlyArray<string> => {
  const { assumedValid, minimumChainWork } = networkWith(network, changes)
  const assumed = assumedText(validation.assumedValid, assumedValid)
  const store = join(dataDirectory, "chainstate")
  return [
    "Cache configuration:",
    `* Using ${storage.dbcacheMegabytes.toFixed(1)} MiB for in-memory UTXO set (plus unused mempool space)`,
    "init message: Loading block index…",
    assumed === undefined
      ? "Validating signatures for all blocks."
      : `Assuming ancestors of block ${assumed} have valid signatures.`,
    `Setting nMinimumChainWork=${minimumChainWork.toString(16).padStart(64, "0")}`,
    `Opening LevelDB in ${store}`,
    ...rebuild || rebuildsCoins ? [`Wiping LevelDB in ${store}`] : [],
    "Checking all blk files are present..."
  ]
}

const CORRUPTED = "Corrupted block database detected.\nPlease restart with -reindex or -reindex-chainstate to recover."

/** Checks the last blocks as a start of Bitcoin Core does (`-checkblocks`, `-checklevel`). */
const checkBlocks = Effect.fnUntraced(
  function*(
    { process: { check: { blocks, level } } }: Plan,
    chain: Chain["Service"],
    { say, write }: StartVoice
  ): Effect.fn.Return<void, EngineFault | EngineFailure> {
    const { height } = chain.state()!
    say("init message: Verifying blocks…")
    if (height > 0) {
      const count = blocks === 0 ? height : Math.min(blocks, height)
      write(VERIFICATION_LINES.begins(count, level))
      const { isSound, limit, problem, transactions } = yield* chain.call("verifyChain", { level, blocks: count })
      if (!isSound) {
        write({ level: "error", text: `Verification error: ${problem ?? "unknown"}` })
        return yield* new EngineFailure({ message: CORRUPTED })
      }
      if (limit !== undefined) {
        write(limit.what === "memory" ? VERIFICATION_LINES.noMemory() : VERIFICATION_LINES.noData(limit.height))
      }
      write(VERIFICATION_LINES.sound(count, transactions))
    }
    say("Block index and chainstate loaded")
  }
)

/** Returns the paths where Bitcoin Core keeps its index databases. Here all indexes are in the store of the chain. */
const indexPlaces = (
  { dataDirectory, storage }: Plan["config"]
): ReadonlyArray<string> => {
  const { blockFilterIndex, coinStatisticsIndex, spenderIndex, transactionIndex } = storage
  return [
    ...transactionIndex ? ["txindex"] : [],
    ...spenderIndex ? ["txospenderindex/db"] : [],
    ...blockFilterIndex ? ["blockfilter/basic/db"] : [],
    ...coinStatisticsIndex ? ["coinstatsindex/db"] : []
  ].map((place) => join(dataDirectory, "indexes", place))
}

/** Returns lines by which programs see whether a start keeps an index or rebuilds it. */
const openedIndexLines = ({ config, storage: { rebuild } }: Plan): ReadonlyArray<string> =>
  indexPlaces(config).flatMap((place) => [
    `Opening LevelDB in ${place}`,
    ...rebuild ? [`Wiping LevelDB in ${place}`] : [],
    "Opened LevelDB successfully"
  ])

/** Bitcoin Core's names of its index threads, by this node's index names, in the order in which it starts them. */
const INDEX_THREADS: ReadonlyMap<string, string> = new Map([
  ["txindex", "txidx"],
  ["txospenderindex", "txospenderidx"],
  ["basic block filter index", "blkfltbscidx"],
  ["coinstatsindex", "coinstatsidx"]
])

const BEYOND_PRUNED =
  "best block of the index goes beyond pruned data (including undo data). Please disable the index or reindex (which will download the whole blockchain again)"

/** Logs the heights of the indexes. Fails if an index needs pruned blocks. */
const indexLines = Effect.fnUntraced(
  function*(
    { config: { storage } }: Plan,
    chain: Chain["Service"],
    say: Say
  ): Effect.fn.Return<void, EngineFault | EngineFailure> {
    const { blockFilterIndex, coinStatisticsIndex, spenderIndex, transactionIndex } = storage
    if (!transactionIndex && !spenderIndex && !blockFilterIndex && !coinStatisticsIndex) return
    const indexes = yield* chain.call("indexes", undefined)
    for (const [index, thread] of INDEX_THREADS) {
      const found = indexes.find(({ name }) => name === index)
      if (found === undefined) continue
      const { bestBlockHeight, lacksBlocks, name, synced } = found
      // It would wait for blocks that no peer sends again.
      if (lacksBlocks) {
        return yield* new EngineFailure({ message: `${name} ${BEYOND_PRUNED}` })
      }
      say(`${thread} thread start`)
      if (synced) {
        say(`${name} is enabled at height ${bestBlockHeight}`)
        say(`${thread} thread exit`)
      } else say(`Syncing ${name} with block chain from height ${bestBlockHeight}`)
    }
  }
)

/** Returns a line with the obfuscation key of block files, which explains why two copies differ. */
const keyText = ({ storage: { blocks } }: Plan): string | undefined => {
  const path = join(blocks, "xor.dat")
  if (!existsSync(path)) return undefined
  return `Using obfuscation key for blocksdir *.dat files (${blocks}): '${readFileSync(path).toString("hex")}'`
}

/** Runs the steps of a start after the chain is open. */
export const chainSteps = Effect.fnUntraced(
  function*(
    plan: Plan,
    chain: Chain["Service"],
    voice: StartVoice
  ): Effect.fn.Return<void, EngineFault | EngineFailure> {
    const { say, warn } = voice
    const { hash, height, progress, loadingBlocks, time } = chain.state()!
    const date = `${new Date(time * 1_000).toISOString().slice(0, 19)}Z`
    if (height > 0) {
      say(
        `Loaded best chain: hashBestChain=${displayHash(hash)} height=${height} date=${date} progress=${
          progress.toFixed(6)
        }`
      )
    }
    say("Opened LevelDB successfully")
    const key = keyText(plan)
    if (key !== undefined) say(key)
    // Blocks that are being imported from files are checked on import.
    if (!loadingBlocks) yield* checkBlocks(plan, chain, voice)
    if (plan.config.storage.pruning._tag === "Disabled") say("Setting NODE_NETWORK in non-prune mode")
    else say("init message: Pruning blockstore…")
    const warning = diskWarning(plan, height)
    if (warning !== undefined) warn(warning)
    for (const line of openedIndexLines(plan)) say(line)
    say("initload thread start")
    if (loadingBlocks && plan.storage.rebuild) say("Reindexing block file blk00000.dat (0% complete)...")
    yield* indexLines(plan, chain, say)
    if (!loadingBlocks) say("initload thread exit")
    say(`block tree size = ${chain.state()!.headersHeight + 1}`)
    say(`nBestHeight = ${height}`)
  }
)
