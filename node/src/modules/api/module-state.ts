import type { CliSpec, ModuleHealth, Permission } from "@lockstep/protocol/module-ipc/index.ts"
import type * as Effect from "effect/Effect"
import type { ModuleChannel } from "../events/module-channel.ts"
import type { Invocations } from "../ipc/invocations.ts"
import type { ModuleNetwork } from "../network/module-network.ts"
import type { NetworkRules } from "../network/network-rules.ts"
import type { ChainFollower } from "./chain-follower.ts"
import type { MempoolFollower } from "./mempool-follower.ts"
import type { ModuleStorage } from "./module-storage.ts"
import type { ModuleTimers } from "./module-timers.ts"
import type { PublishAllowance } from "./publish-allowance.ts"
import type { ReceivedBlocks } from "./received-blocks.ts"
import type { ReportedMetrics } from "./reported-metrics.ts"
import type { OwnServePolicy } from "./own-serve-policy.ts"

/** A module as the manifest and the operator have it. */
export interface ModuleFacts {
  readonly name: string
  readonly version: string
  readonly permissions: ReadonlySet<Permission>
  /** Methods of the node that its manifest lets it answer. */
  readonly rpcOverrides: ReadonlySet<string>
  /** Where it may listen and connect. */
  readonly networkRules: NetworkRules
  /** Where requests about files lead, and nowhere else. The module itself may write there. */
  readonly dataDirectory: string
  /** Where its database is. The module itself must not write there: damaged files can end a process that maps them. */
  readonly storageDirectory: string
}

/** A method of RPC that a module answers. */
export interface RegisteredMethod {
  readonly description: string
  /** It answers in place of the node's own method. */
  readonly isOverride: boolean
}

/** What the node keeps of a module as long as it is connected. */
export interface ModuleState extends ModuleFacts {
  readonly channel: ModuleChannel
  readonly follower: ChainFollower
  readonly mempoolFollower: MempoolFollower
  /** Begins to send it every step of the chain and the mempool. */
  readonly followNotifications: Effect.Effect<void>
  readonly network: ModuleNetwork
  readonly storage: ModuleStorage
  readonly timers: ModuleTimers
  readonly metrics: ReportedMetrics
  readonly blocks: ReceivedBlocks
  readonly servePolicy: OwnServePolicy
  readonly publishing: PublishAllowance
  readonly methods: Map<string, RegisteredMethod>
  readonly invoke: Invocations["invoke"]
  /** Publishes that it is loaded. */
  readonly announce: Effect.Effect<void>
  /** What other modules may call. */
  moduleApi: { readonly methods: ReadonlySet<string>; readonly version: number } | undefined
  cliSpec: CliSpec | undefined
  health: ModuleHealth
  /** It has subscribed, or needs no subscription: others know of it. */
  isLoaded: boolean
}
