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

/** What is logged, and the file it goes to besides standard output. */
export interface LogControl {
  readonly levels: () => Levels
  readonly setLevels: (levels: Levels) => Effect.Effect<void>
  readonly switches?: LogSwitches | undefined
  readonly file: string | undefined
}

/** Everything that a method may use. */
export interface MethodNode extends QueryNode {
  /** Where files are that are named without their whole path. */
  readonly dataDirectory: string
  readonly shutdown: Shutdown["Service"]
  /** What the program calls itself where it stops. */
  readonly programName: string
  /** Whether it stands in for Bitcoin Core's program: then answers have the members of Bitcoin Core alone. */
  readonly isStandIn: boolean
  /** Whether answers are held to their descriptions. */
  readonly checksAnswers: boolean
  readonly methods: ReadonlyMap<string, MethodFacts>
  readonly blockScan: BlockScan
  /** Secret nonces of MuSig2 between its rounds. */
  readonly musigNonces: MusigNonces
  readonly log: LogControl
  /** Whether transactions of callers are sent through Tor and I2P alone. */
  readonly broadcastsPrivately: boolean
  /** The modules; none: the node runs none, or not yet. */
  readonly modules: () => Modules | undefined
  /** Memory that coins may take. */
  readonly coinCacheBytes: number
  readonly health: Pick<Health["Service"], "check">
  readonly metrics: Pick<Metrics["Service"], "blocks" | "calls" | "facts">
  /** What is published through ZeroMQ. */
  readonly notifiers: ReadonlyArray<Notifier>
  /** Since the process started. */
  readonly uptimeSeconds: () => number
}

/** The node for its methods, or a text about what it does while it starts. */
export class CalledNode extends Context.Service<CalledNode, {
  readonly node: () => MethodNode | string
}>()("@node/methods/CalledNode") {}
