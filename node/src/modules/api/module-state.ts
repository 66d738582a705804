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

/** A module as its manifest and the operator define it. */
export interface ModuleFacts {
  readonly name: string
  readonly version: string
  readonly permissions: ReadonlySet<Permission>
  /** Methods of the node that its manifest allows it to override. */
  readonly rpcOverrides: ReadonlySet<string>
  /** Addresses on which it may listen and to which it may connect. */
  readonly networkRules: NetworkRules
  /** Directory to which file requests are confined. The module itself may write in it. */
  readonly dataDirectory: string
  /**
   * Directory of its database. The module itself must not write in it: damaged files can crash a process that maps
   * them.
   */
  readonly storageDirectory: string
}

/** An RPC method that a module serves. */
export interface RegisteredMethod {
  readonly description: string
  /** True if it replaces the node's own method. */
  readonly isOverride: boolean
}

/** State that the node holds for a module while it is connected. */
export interface ModuleState extends ModuleFacts {
  readonly channel: ModuleChannel
  readonly follower: ChainFollower
  readonly mempoolFollower: MempoolFollower
  /** Starts to send every step of the chain and the mempool to the module. */
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
  /** Publishes that the module is loaded. */
  readonly announce: Effect.Effect<void>
  /** Methods that other modules may call. */
  moduleApi: { readonly methods: ReadonlySet<string>; readonly version: number } | undefined
  cliSpec: CliSpec | undefined
  health: ModuleHealth
  /** True once the module has subscribed or needs no subscription; only then other modules know of it. */
  isLoaded: boolean
}
