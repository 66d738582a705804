import type { Milliseconds, UnixMilliseconds } from "../../quantities.ts"
import { machineClock } from "../basics/environment.ts"
import { beginAgain } from "./blocks/engine-refusals.ts"
import { allPeersHadTheirChance } from "./headers/headers-of-all-peers.ts"
import { type ProgressCount, rateWindow } from "./blocks/rate-window.ts"
import { headersAreComplete } from "./headers/start-headers.ts"
import { failureWatch } from "./sync-failure.ts"
import { MANY_MISSING, RECENT_HEADER } from "./sync-limits.ts"
import { nextStage, type SyncStage, syncPercent, type SyncTrigger } from "./sync-machine.ts"
import { isRecent, type SyncState } from "./sync-state.ts"
import { type SyncStatus, syncStatus } from "./sync-status.ts"

/** Milliseconds between checks of the stage, and between events and log lines about the progress. */
const LOOK = 250
const EVENT_INTERVAL = 1_000
const LINE_INTERVAL = 10_000

/** The stage of the sync, updated by its ticks, and reported as events and log lines. */
export interface SyncProgress {
  readonly stage: () => SyncStage
  /** Percent of the whole sync. */
  readonly percent: () => number
  readonly status: () => SyncStatus
  readonly tick: () => void
}

const digits = (value: number, places: number): number => Number(value.toFixed(places))

/**
 * True if all headers that any peer has shown are known: the best is recent, or the peers that sent them have no more.
 */
const allHeadersAreHere = (sync: SyncState): boolean =>
  isRecent(sync, sync.context.chain.tree.bestHeader, RECENT_HEADER) || headersAreComplete(sync)

/** True if blocks of known headers are missing. */
const blocksAreMissing = ({ context: { chain: { tree: { bestHeader, tip } } } }: SyncState): boolean =>
  tip.chainWork < bestHeader.chainWork

/** True if so many blocks are missing that the node is downloading the chain again. */
const manyAreMissing = (sync: SyncState): boolean => {
  const { chain } = sync.context
  const { bestHeader, tip } = chain.tree
  return blocksAreMissing(sync) && (chain.state().initialBlockDownload || bestHeader.height - tip.height > MANY_MISSING)
}

export const syncProgress = (sync: SyncState): SyncProgress => {
  const { chain, environment, network, notify } = sync.context
  const machine = machineClock(environment)
  const failures = failureWatch(sync)
  const window = rateWindow()
  let stage: SyncStage = "Initial"
  let error: string | undefined
  let since = machine()
  let looked = 0
  /** Time since which nothing is missing that any peer has shown. */
  let completeSince: number | undefined
  let reported = { at: since, height: 0 }
  let lined = 0

  const countAt = (at: number): ProgressCount => {
    const { height, inputs, progress } = chain.state()
    return { at, blocks: height, inputs, done: progress }
  }
  /** Returns the height that headers should reach by the age of the best one. */
  const target = (): number => {
    const { header, height } = chain.tree.bestHeader
    const missing = (environment.now() / 1_000 - header.time) / network.parameters.work.targetSpacing
    return stage === "Headers" ? height + Math.max(0, Math.round(missing)) : height
  }
  const partDone = (): number => {
    const { headersHeight, height } = chain.state()
    const [done, whole] = stage === "Headers" ? [headersHeight, target()] : [height, headersHeight]
    return whole === 0 ? 1 : Math.min(1, done / whole)
  }
  const percent = (): number => syncPercent(stage, partDone())

  const logLine = (now: UnixMilliseconds): void => {
    lined = now
    const { cacheBytes, headersHeight, height, progress } = chain.state()
    const { blocksPerSecond, inputsPerSecond, remaining } = window.until(countAt(now))
    notify.log("info", `IBD: ${height} / ${headersHeight}`, {
      percent: digits(progress * 100, 2),
      blocks_per_second: digits(blocksPerSecond, 1),
      inputs_per_second: Math.round(inputsPerSecond),
      peers: sync.context.peers.size,
      cache_mib: digits(cacheBytes / 1_048_576, 1),
      ...(remaining === undefined ? {} : { eta_seconds: remaining })
    })
  }

  const publishStage = (before: SyncStage, duration: Milliseconds): void => {
    const { headersHeight, height } = chain.state()
    notify.event("SyncStateChanged", { old_state: before, new_state: stage })
    if (before === "Headers" && stage === "Blocks") {
      notify.event("HeadersSyncCompleted", { final_height: headersHeight, duration_ms: duration })
    }
    if (stage === "Synced") notify.event("BlockSyncCompleted", { final_height: height, duration_ms: duration })
    if (stage === "Headers") notify.event("HeadersSyncStarted", { start_height: headersHeight })
    if (stage === "Blocks") notify.event("BlockSyncStarted", { start_height: height, target_height: headersHeight })
    const fields = { height, headers: headersHeight, percent: digits(percent(), 1) }
    if (stage === "Error") notify.log("error", "sync: Error", { ...fields, reason: error ?? "" })
    else notify.log("info", `sync: ${stage}`, fields)
  }

  const trigger = (what: SyncTrigger, now: UnixMilliseconds): void => {
    const next = nextStage(stage, what)
    if (next === undefined) return
    const [before, duration] = [stage, now - since]
    stage = next
    since = now
    reported = { at: now, height: stage === "Headers" ? chain.state().headersHeight : chain.state().height }
    window.clear()
    publishStage(before, duration)
    // However short the download, it is logged.
    if (stage === "Blocks") logLine(now)
  }

  const publishHeaders = (now: UnixMilliseconds): void => {
    const { headersHeight } = chain.state()
    if (now - reported.at < EVENT_INTERVAL || headersHeight <= reported.height) return
    reported = { at: now, height: headersHeight }
    notify.event("HeadersSyncProgress", {
      current_height: headersHeight,
      target_height: target(),
      progress_percent: digits(partDone() * 100, 2)
    })
  }

  const publishBlocks = (now: UnixMilliseconds): void => {
    const { headersHeight, height } = chain.state()
    if (now - reported.at >= EVENT_INTERVAL && height > reported.height) {
      const rate = (height - reported.height) * 1_000 / (now - reported.at)
      reported = { at: now, height }
      notify.event("BlockSyncProgress", {
        current_height: height,
        target_height: headersHeight,
        progress_percent: digits(partDone() * 100, 2),
        blocks_per_second: digits(rate, 1)
      })
    }
    if (now - lined >= LINE_INTERVAL) logLine(now)
  }

  /**
   * True if the node has all blocks it can know of: nothing is missing, and each peer that serves blocks has sent its
   * headers. The node waits for a slow peer no longer than for any headers.
   */
  const isComplete = (now: UnixMilliseconds): boolean => {
    if (blocksAreMissing(sync)) {
      completeSince = undefined
      return false
    }
    completeSince ??= now
    return allPeersHadTheirChance(sync) || now - completeSince >= sync.settings.headersTimeout
  }

  const look = (now: UnixMilliseconds): void => {
    error = failures.look(stage, now)
    if (error !== undefined) return trigger("failure", now)
    if (stage === "Error") {
      beginAgain(sync)
      trigger("recovery", now)
    }
    if (stage === "Initial" && sync.headersFrom > 0) trigger("begin", now)
    const isWhole = isComplete(now)
    const mayHaveBlocks = blocksAreMissing(sync) || isWhole
    if (stage === "Headers" && sync.headersFrom > 0 && allHeadersAreHere(sync) && mayHaveBlocks) {
      trigger("headers complete", now)
    }
    if (stage === "Blocks" && isWhole) trigger("blocks complete", now)
    if (stage === "Synced" && manyAreMissing(sync)) trigger("blocks missing", now)
  }

  return {
    stage: () => stage,
    percent,
    status: () =>
      syncStatus(sync, {
        stage,
        since,
        error,
        percent: percent(),
        target: target(),
        rates: window.until(countAt(machine()))
      }),
    tick: () => {
      const now = machine()
      if (now - looked < LOOK) return
      looked = now
      look(now)
      window.add(countAt(now))
      if (stage === "Headers") publishHeaders(now)
      if (stage === "Blocks") publishBlocks(now)
    }
  }
}
