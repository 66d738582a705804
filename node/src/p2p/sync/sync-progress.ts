import type { P2pContext } from "../p2p-context.ts"
import { nextStage, type SyncStage, syncPercent, type SyncTrigger } from "./sync-machine.ts"
import { headersAreComplete } from "./start-headers.ts"
import { isRecent, type SyncState } from "./sync-state.ts"
import { RECENT_HEADER } from "./sync-limits.ts"

/** Milliseconds between looks at the stage, and between lines about the progress. */
const LOOK = 250
const EVENT_INTERVAL = 1_000
const LINE_INTERVAL = 10_000

/** What a stage has brought so far. */
interface Mark {
  readonly at: number
  readonly height: number
}

/** The stage of the sync, kept up to date by its ticks, and told as events and log lines. */
export interface SyncProgress {
  readonly stage: () => SyncStage
  /** Of the whole sync. */
  readonly percent: () => number
  readonly tick: (now: number) => void
  /** Something the sync needs does not work; `recover` when it works again. */
  readonly fail: (reason: string) => void
  readonly recover: () => void
}

const rateOf = (from: Mark, to: Mark): number => (to.at <= from.at ? 0 : (to.height - from.height) * 1_000 / (to.at - from.at))

const digits = (value: number, places: number): number => Number(value.toFixed(places))

/** Seconds until everything is here, at the rate of the last while; none: nobody can tell. */
const remainingSeconds = (before: { readonly at: number; readonly done: number }, at: number, done: number): number | undefined => {
  const gained = done - before.done
  return gained <= 0 ? undefined : Math.round((1 - done) / gained * (at - before.at) / 1_000)
}

/** What there is to tell of the download of blocks. */
const tellBlocks = ({ chain, peers, tell }: P2pContext, rate: number, eta: number | undefined): void => {
  const { cacheBytes, height, headersHeight, progress } = chain.state()
  tell.log("info", `IBD: ${height} / ${headersHeight}`, {
    percent: digits(progress * 100, 2),
    blocks_per_second: digits(rate, 1),
    peers: peers.size,
    cache_mib: digits(cacheBytes / 1_048_576, 1),
    ...(eta === undefined ? {} : { eta_seconds: eta })
  })
}

/** Whether all headers are here, as far as any peer has shown: the best is recent, or whoever sent them has no more. */
const allHeadersAreHere = (sync: SyncState): boolean =>
  isRecent(sync, sync.context.chain.tree.bestHeader, RECENT_HEADER) || headersAreComplete(sync)

export const syncProgress = (sync: SyncState): SyncProgress => {
  const { chain, environment, tell } = sync.context
  let stage: SyncStage = "Initial"
  let since = environment.now()
  let looked = 0
  let told: Mark = { at: since, height: 0 }
  let lined = { at: since, height: 0, done: 0 }

  const blocksPart = (): number => {
    const { headersHeight, height } = chain.state()
    return headersHeight === 0 ? 1 : Math.min(1, height / headersHeight)
  }
  const headersPart = (): number => {
    const { header, height } = chain.tree.bestHeader
    const missing = (environment.now() / 1_000 - header.time) / sync.context.network.parameters.work.targetSpacing
    return height / Math.max(1, height + Math.max(0, missing))
  }

  const enter = (next: SyncStage, now: number): void => {
    const { headersHeight, height } = chain.state()
    const duration = now - since
    if (stage === "Headers" && next === "Blocks") {
      tell.event("HeadersSyncCompleted", { final_height: headersHeight, duration_ms: duration })
    }
    if (next === "Synced") tell.event("BlockSyncCompleted", { final_height: height, duration_ms: duration })
    stage = next
    since = now
    told = { at: now, height }
    lined = { at: now, height, done: chain.state().progress }
    if (next === "Headers") tell.event("HeadersSyncStarted", { start_height: headersHeight })
    if (next === "Blocks") tell.event("BlockSyncStarted", { start_height: height, target_height: headersHeight })
    tell.log("info", `sync: ${next}`, { height, headers: headersHeight })
  }

  const trigger = (what: SyncTrigger, now: number): void => {
    const next = nextStage(stage, what)
    if (next !== undefined) enter(next, now)
  }

  const tellProgress = (now: number): void => {
    const { headersHeight, height, progress } = chain.state()
    if (stage === "Headers" && now - told.at >= EVENT_INTERVAL && headersHeight > told.height) {
      told = { at: now, height: headersHeight }
      const target = Math.round(headersHeight / headersPart())
      tell.event("HeadersSyncProgress", {
        current_height: headersHeight,
        target_height: target,
        progress_percent: digits(headersPart() * 100, 2)
      })
    }
    if (stage !== "Blocks") return
    if (now - told.at >= EVENT_INTERVAL && height > told.height) {
      const rate = rateOf(told, { at: now, height })
      told = { at: now, height }
      tell.event("BlockSyncProgress", {
        current_height: height,
        target_height: headersHeight,
        progress_percent: digits(blocksPart() * 100, 2),
        blocks_per_second: digits(rate, 1)
      })
    }
    if (now - lined.at < LINE_INTERVAL) return
    tellBlocks(sync.context, rateOf(lined, { at: now, height }), remainingSeconds(lined, now, progress))
    lined = { at: now, height, done: progress }
  }

  const look = (now: number): void => {
    const { tree } = chain
    if (stage === "Initial" && sync.headersFrom > 0) trigger("begin", now)
    if (stage === "Headers" && sync.headersFrom > 0 && allHeadersAreHere(sync)) trigger("headers complete", now)
    if (stage === "Blocks" && tree.tip.chainWork >= tree.bestHeader.chainWork) trigger("blocks complete", now)
  }

  return {
    stage: () => stage,
    percent: () => syncPercent(stage, stage === "Headers" ? headersPart() : blocksPart()),
    tick: (now) => {
      if (now - looked < LOOK) return
      looked = now
      look(now)
      tellProgress(now)
    },
    fail: (reason) => {
      if (stage !== "Error") tell.log("error", "sync: an error keeps the node from following the chain", { reason })
      trigger("failure", environment.now())
    },
    recover: () => trigger("recovery", environment.now())
  }
}
