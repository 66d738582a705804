import type { MusigNonces } from "@lockstep/descriptors/signing/musig.ts"
import type { Notifier } from "@lockstep/zmq"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Health } from "../../health/health.ts"
import type { Shutdown } from "../../runtime/shutdown.ts"
import type { LogSwitches } from "../../log/log-layer.ts"
import type { Levels } from "../../log/log-record.ts"
import type { Metrics } from "../../metrics/metrics.ts"
import type { Modules } from "../../modules/lifecycle/modules.ts"
import type { QueryNode } from "../../queries/query-node.ts"
import type { BlockScan } from "./block-scan.ts"
import type { MethodFacts } from "./method-facts.ts"

/** Log levels, and the log file used besides standard output. */
export interface LogControl {
  readonly levels: () => Levels
  readonly setLevels: (levels: Levels) => Effect.Effect<void>
  readonly switches?: LogSwitches | undefined
  readonly file: string | undefined
}

/** Everything that a method may use. */
export interface MethodNode extends QueryNode {
  /** Directory to which relative file names refer. */
  readonly dataDirectory: string
  readonly shutdown: Shutdown["Service"]
  /** Name of the program in the answer to `stop`. */
  readonly programName: string
  /** True if the node runs as `bitcoind`: answers then have only the members of Bitcoin Core. */
  readonly isStandIn: boolean
  /** True to check answers against their descriptions. */
  readonly checksAnswers: boolean
  readonly methods: ReadonlyMap<string, MethodFacts>
  readonly blockScan: BlockScan
  /** Secret MuSig2 nonces, kept between the rounds. */
  readonly musigNonces: MusigNonces
  readonly log: LogControl
  /** True if transactions of callers are sent only through Tor and I2P. */
  readonly broadcastsPrivately: boolean
  /** Returns the modules, or `undefined` if they are off or not started yet. */
  readonly modules: () => Modules | undefined
  /** Bytes available for the coins cache. */
  readonly coinCacheBytes: number
  readonly health: Pick<Health["Service"], "check">
  readonly metrics: Pick<Metrics["Service"], "blocks" | "calls" | "facts">
  /** The active ZeroMQ notifications. */
  readonly notifiers: ReadonlyArray<Notifier>
  /** Returns the seconds since the process started. */
  readonly uptimeSeconds: () => number
}

/** The node for RPC methods, or a text that says what it is busy with while it starts. */
export class CalledNode extends Context.Service<CalledNode, {
  readonly node: () => MethodNode | string
}>()("@node/methods/CalledNode") {}
