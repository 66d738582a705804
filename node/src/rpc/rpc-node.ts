import type { MusigNonces } from "@lockstep/descriptors/signing/musig.ts"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import type { Notifier } from "@lockstep/zmq"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { DeprecatedAnswer } from "../config/deprecated-answers.ts"
import type { ChainState } from "../engine/api/chain-state.ts"
import type { EngineCallName, EngineCalls } from "../engine/api/engine-calls.ts"
import type { Health } from "../health/health.ts"
import type { Shutdown } from "../runtime/shutdown.ts"
import type { LogSwitches } from "../log/log-layer.ts"
import type { Levels } from "../log/log-record.ts"
import type { Metrics } from "../metrics/metrics.ts"
import type { Modules } from "../modules/lifecycle/modules.ts"
import type { NetworkService } from "../p2p/layer/network.ts"
import type { BlockReader } from "../storage/block-files/block-reader.ts"
import type { ActiveCalls } from "./method/active-calls.ts"
import type { BlockScan } from "./method/block-scan.ts"
import type { MethodFacts } from "./method/method-facts.ts"
import type { RpcError } from "./rpc-error.ts"

/** The chain as methods see it: what the engine refuses or fails at is an answer for the client already. */
export interface RpcChain {
  readonly call: <N extends EngineCallName>(
    name: N,
    params: EngineCalls[N]["in"]
  ) => Effect.Effect<EngineCalls[N]["out"], RpcError>
  /** As it is after the last answer of `call`. No method runs before the engine has started. */
  readonly state: () => ChainState
  /** Every new state from now on, the present one first. */
  readonly states: Stream.Stream<ChainState>
}

/** What is logged, and the file it goes to besides standard output. */
export interface RpcLog {
  readonly levels: () => Levels
  readonly setLevels: (levels: Levels) => Effect.Effect<void>
  readonly switches?: LogSwitches | undefined
  readonly file: string | undefined
}

/** All that a method may use. */
export interface RpcNode {
  readonly network: Network
  readonly crypto: Crypto
  readonly chain: RpcChain
  readonly blocks: BlockReader
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
  readonly activeCalls: ActiveCalls
  readonly blockScan: BlockScan
  /** Secret nonces of MuSig2 between its rounds. */
  readonly musigNonces: MusigNonces
  readonly log: RpcLog
  /** The peers; none: the node makes no connections, or not yet. */
  readonly peers: () => NetworkService | undefined
  /** Whether transactions of callers are sent through Tor and I2P alone. */
  readonly broadcastsPrivately: boolean
  /** The modules; none: the node runs none, or not yet. */
  readonly modules: () => Modules | undefined
  /** Deprecated answers that callers still get. */
  readonly deprecated: ReadonlySet<DeprecatedAnswer>
  /** Memory that coins may take. */
  readonly coinCacheBytes: number
  /** Whether and how block files are thinned out. */
  readonly pruning: "off" | "manual" | "automatic" | { readonly targetBytes: number }
  readonly health: Pick<Health["Service"], "check">
  readonly metrics: Pick<Metrics["Service"], "blocks" | "calls" | "facts">
  /** What is published through ZeroMQ. */
  readonly notifiers: ReadonlyArray<Notifier>
  /** Since the process started. */
  readonly uptimeSeconds: () => number
}
