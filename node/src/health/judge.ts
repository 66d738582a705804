import type { Seconds, UnixSeconds } from "../quantities.ts"
import type { NodeFacts } from "../metrics/facts.ts"
import type { ThreadFigures } from "../figures/thread-figures.ts"
import { type Component, HEALTHY, type Judgement, judgement } from "./component-health.ts"
import { settingName } from "../front/setting-name.ts"
import { MEBIBYTE, SECONDS } from "../units.ts"

/** A persistent peer that cannot be reached, with the reason. */
export interface Unreachable {
  readonly node: string
  readonly reason: string
}

/** The facts that the judgements are based on. */
export interface HealthFacts extends NodeFacts {
  readonly isRegtest: boolean
  /** The present stage of the start. */
  readonly stage: string | undefined
  /** Time of the chain's clock. */
  readonly now: UnixSeconds
  readonly minimumFreeBytes: number
  /** `undefined` until the node connects to others. */
  readonly network:
    | {
      readonly isActive: boolean
      readonly peers: number
      readonly maximum: number
      readonly unreachable: ReadonlyArray<Unreachable>
      /** A notice that is no fault: other nodes of this network follow another chain. */
      readonly notice?: string | undefined
    }
    | undefined
  /** Troubles of modules. */
  readonly modules: ReadonlyArray<string>
  readonly rpc: { readonly inFlight: number; readonly capacity: number; readonly overloads: number }
}

/** Ages of a tip, in seconds, from which the chain is degraded (twelve usual block intervals) and unhealthy (a day). */
export const OLD_TIP_SECONDS = 2 * SECONDS.hour
const STALE_TIP_SECONDS = 24 * SECONDS.hour

/** Milliseconds after which a silent engine is no longer in a long step, such as a large commit. */
const LONG_SILENCE_MS = 60_000

const hours = (seconds: Seconds): string => `${Math.floor(seconds / SECONDS.hour)} hours`

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

const judgeTip = ({ chain, isRegtest, now }: HealthFacts): Judgement => {
  if (chain === undefined || isRegtest) return HEALTHY
  if (chain.initialBlockDownload) {
    return judgement("Degraded", `catching up: ${percent(chain.progress)} verified`, false)
  }
  const age = now - chain.time
  if (age < OLD_TIP_SECONDS) return HEALTHY
  return judgement(age < STALE_TIP_SECONDS ? "Degraded" : "Unhealthy", `the last block is ${hours(age)} old`, false)
}

const judgeChain = (facts: HealthFacts): Judgement => {
  const { chain, engine, stage } = facts
  if (engine._tag === "Gone") return judgement("Down", engine.message)
  if (stage !== undefined || chain === undefined) {
    return judgement("Degraded", `starting: ${stage ?? "opening the chain"}`, false)
  }
  if (engine._tag === "Late") {
    const status = engine.milliseconds < LONG_SILENCE_MS ? "Degraded" : "Unhealthy"
    return judgement(status, `the engine has not answered for ${Math.round(engine.milliseconds / 1_000)} s`)
  }
  const tip = judgeTip(facts)
  const [warning] = chain.warnings
  return tip.status === "Healthy" && warning !== undefined ? judgement("Degraded", warning) : tip
}

const FEW_PEERS = 3

/** Describes nodes that cannot be reached: their number, and the first one with the reason. */
const unreachableText = ([first, ...others]: ReadonlyArray<Unreachable>): string | undefined => {
  if (first === undefined) return undefined
  const more = others.length === 0 ? "" : ` and ${others.length} more`
  return `cannot connect to ${first.node}${more} (${settingName("persistent_peers")} or addnode): ${first.reason}`
}

const judgePeers = (peers: number): Judgement => {
  if (peers === 0) return judgement("Unhealthy", "connected to no other node")
  return peers < FEW_PEERS ? judgement("Degraded", `connected to ${peers} other nodes only`) : HEALTHY
}

/** Adds a notice to a judgement. The status stays the same. */
const noticing = (judged: Judgement, notice: string | undefined): Judgement =>
  notice === undefined ? judged : { ...judged, reason: [judged.reason ?? [], notice].flat().join("; ") }

const judgeNetwork = ({ isRegtest, network }: HealthFacts): Judgement => {
  if (network === undefined) return HEALTHY
  const lost = unreachableText(network.unreachable)
  if (!network.isActive) {
    return isRegtest
      ? HEALTHY
      : judgement("Unhealthy", "the network is switched off (setnetworkactive)", false)
  }
  const judged = noticing(isRegtest ? HEALTHY : judgePeers(network.peers), network.notice)
  if (lost === undefined) return judged
  if (judged.status === "Healthy") return noticing(judgement("Degraded", lost, false), network.notice)
  return { ...judged, reason: `${judged.reason}; ${lost}` }
}

const judgeStorage = ({ disk, minimumFreeBytes }: HealthFacts): Judgement => {
  if (disk === undefined) return judgement("Down", "the file system of the data directory does not answer")
  const free = `${Math.floor(disk.free / MEBIBYTE)} MiB are free`
  if (disk.free < minimumFreeBytes) return judgement("Unhealthy", `${free}: too little to write anything`)
  if (disk.free < minimumFreeBytes * 2) return judgement("Degraded", `${free}: soon nothing can be written`)
  return HEALTHY
}

const MANY_OVERLOADS = 100

const judgeRpc = ({ rpc: { capacity, inFlight, overloads } }: HealthFacts): Judgement => {
  if (overloads > 0) {
    return judgement(
      overloads < MANY_OVERLOADS ? "Degraded" : "Unhealthy",
      `${overloads} requests refused within a minute: too many at once`
    )
  }
  return inFlight >= capacity * 0.8 && capacity > 1
    ? judgement("Degraded", `${inFlight} of ${capacity} requests under way`)
    : HEALTHY
}

const heapShare = ({ heapLimit, heapUsed }: ThreadFigures): number => heapUsed / heapLimit

const judgeProcess = ({ engine, main }: HealthFacts): Judgement => {
  const lag = main.lag.p99
  const heap = Math.max(heapShare(main), engine._tag === "Answered" ? heapShare(engine.figures.thread) : 0)
  if (lag > 2) return judgement("Unhealthy", `answers come ${lag.toFixed(1)} s late`)
  if (heap > 0.97) return judgement("Unhealthy", `the heap is full: ${percent(heap)}`)
  if (lag > 0.25) return judgement("Degraded", `answers come ${lag.toFixed(2)} s late`)
  return heap > 0.9 ? judgement("Degraded", `the heap is nearly full: ${percent(heap)}`) : HEALTHY
}

/** Judges a component by this check alone. */
const judgeModules = ({ modules }: HealthFacts): Judgement =>
  modules.length === 0 ? HEALTHY : judgement("Degraded", modules.join("; "), false)

export const JUDGES: Readonly<Record<Component, (facts: HealthFacts) => Judgement>> = {
  chain: judgeChain,
  network: judgeNetwork,
  storage: judgeStorage,
  rpc: judgeRpc,
  process: judgeProcess,
  modules: judgeModules
}
