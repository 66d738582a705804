import type { Height } from "@lockstep/kernel/quantities"
import type { FrameFault, PayloadFault } from "@lockstep/protocol/wire/fault.ts"
import type { Seconds } from "../quantities.ts"
import * as Context from "effect/Context"
import type { DisconnectReason } from "./disconnect-reason.ts"
import type { Misbehavior } from "./misbehavior.ts"
import type { PrivateHappening } from "./private-happening.ts"
import type { RelayHappening } from "./relay-happening.ts"
import type { SeedingHappening } from "./seeding-happening.ts"
import type { StartHappening } from "./start-happening.ts"
import type { SyncHappening } from "./sync-happening.ts"

/** A pong that matches no ping, or is malformed. */
export interface OddPong {
  readonly why: "mismatch" | "short" | "unsolicited" | "zero"
  /** The expected nonce; 0 if no ping is outstanding. */
  readonly expected: bigint
  readonly received: bigint
  readonly bytes: number
}

/** Step of the agreement with a peer to reconcile transactions (BIP330). `off`: this node does not support it. */
export type ReconciliationStep = "agreed" | "forgotten" | "off" | "offered" | "unexpected"

/**
 * Consequence of a peer's misbehavior: it is disconnected, with or without discouragement, or kept as a manual or noban
 * peer.
 */
export type Punishment = "discouraged" | "disconnected" | "kept as manual" | "kept as noban"

/** Reason why an attempt to connect failed, where Bitcoin Core has words of its own for it. */
export type DialFault =
  | { readonly _tag: "NoAnswer" }
  /** This node's own proxy took the connection and refused to reach the node. */
  | { readonly _tag: "ProxyRefused"; readonly answer: string }
  | { readonly _tag: "ProxyUnreached"; readonly proxy: string; readonly why: string }

/** A detailed event. Peers are identified by their ids. */
export type TraceEvent =
  | { readonly _tag: "Received"; readonly peer: number; readonly command: string; readonly bytes: number }
  | { readonly _tag: "Sent"; readonly peer: number; readonly command: string; readonly bytes: number }
  | { readonly _tag: "ConnectionAdded"; readonly peer: number; readonly address: string }
  /** A connection is about to end, or was closed by the other side. */
  | {
    readonly _tag: "Disconnecting"
    readonly peer: number
    readonly address: string
    readonly reason: DisconnectReason
  }
  | { readonly _tag: "ConnectionGone"; readonly peer: number }
  | {
    readonly _tag: "Misbehaving"
    readonly peer: number
    readonly address: string
    readonly what: Misbehavior
    readonly punishment: Punishment
    /** True if it connects through an onion service of this node. */
    readonly isOnion: boolean
  }
  | { readonly _tag: "OddPong"; readonly peer: number; readonly pong: OddPong }
  | { readonly _tag: "PingTimeout"; readonly peer: number; readonly seconds: Seconds }
  | { readonly _tag: "BadFrame"; readonly peer: number; readonly fault: FrameFault }
  | {
    readonly _tag: "BadPayload"
    readonly peer: number
    readonly command: string
    readonly bytes: number
    readonly fault: PayloadFault
  }
  /** A peer announced a feature that this node does not know (BIP434). */
  | { readonly _tag: "UnknownFeature"; readonly peer: number; readonly id: Uint8Array }
  | {
    readonly _tag: "Reconciliation"
    readonly peer: number
    readonly isInbound: boolean
    readonly step: ReconciliationStep
  }
  /** A message that is ignored, because it came too early or twice, or because its type is unknown. */
  | {
    readonly _tag: "LeftOut"
    readonly peer: number
    readonly command: string
    readonly why: "again" | "before verack" | "before version" | "unknown type"
  }
  | {
    readonly _tag: "TransactionRefused"
    readonly peer: number
    readonly txid: Uint8Array
    readonly wtxid: Uint8Array
    readonly reason: string
  }
  /** An orphan is not kept, because a parent of it was rejected. */
  | { readonly _tag: "OrphanHopeless"; readonly txid: Uint8Array; readonly wtxid: Uint8Array }
  /** Orphans that a block contains, or conflicts with, were erased. */
  | { readonly _tag: "OrphansErased"; readonly count: number }
  /** The file of addresses was missing or damaged. */
  | { readonly _tag: "AddressFileMissing"; readonly path: string }
  | { readonly _tag: "AddressFound"; readonly address: string }
  /** Addresses that a peer or a seed sent: how many were new, and how many were sent. */
  | { readonly _tag: "AddressesAdded"; readonly added: number; readonly sent: number; readonly from: string }
  | { readonly _tag: "HeadersRequested"; readonly peer: number; readonly height: Height; readonly startHeight: Height }
  | { readonly _tag: "LowWorkChainIgnored"; readonly peer: number; readonly height: Height }
  /** Headers of a chain whose work is not known yet. */
  | { readonly _tag: "HeadersPresynced"; readonly height: Height; readonly progress: number }
  | { readonly _tag: "HeadersStored"; readonly height: Height; readonly progress: number }
  | { readonly _tag: "HeadersTimeout"; readonly peer: number; readonly isKept: boolean }
  | { readonly _tag: "StallStarted"; readonly peer: number }
  | { readonly _tag: "StallTimeoutChanged"; readonly seconds: number; readonly isLonger: boolean }
  | { readonly _tag: "GetAddrRepeated"; readonly peer: number }
  | { readonly _tag: "NetworkSwitched"; readonly isActive: boolean }
  /** An attempt to connect failed. */
  | {
    readonly _tag: "DialFailed"
    readonly address: string
    readonly reason: string
    readonly fault: DialFault | undefined
    /** True if this node's own proxy cannot be reached. */
    readonly isProxy: boolean
    /** True if the operator requested this connection. */
    readonly isManual: boolean
  }
  | { readonly _tag: "AnchorDialed"; readonly address: string }
  /** An attempt to connect begins. `unseen` is the time since the node was last heard of. */
  | {
    readonly _tag: "Dialing"
    readonly address: string
    readonly kind: string
    readonly isV2: boolean
    readonly unseen: Seconds
  }
  /** `port` is one that no node in I2P has; `router` is the address of a router that takes no connection. */
  | {
    readonly _tag: "I2pDialFailed"
    readonly address: string
    readonly reason: string
    readonly port: number | undefined
    readonly router: string | undefined
  }
  | { readonly _tag: "RetriedWithV1"; readonly peer: number }
  | { readonly _tag: "V2HandshakeBegun"; readonly peer: number }
  | { readonly _tag: "ConnectionDropped"; readonly why: "banned" | "discouraged" | "full"; readonly address: string }
  /** `first` is the first entry of the request, in Bitcoin Core's words. */
  | {
    readonly _tag: "DataRequested"
    readonly peer: number
    readonly entries: number
    readonly first?: string | undefined
  }
  | { readonly _tag: "PrivateBroadcast"; readonly what: PrivateHappening }
  | RelayHappening
  | SeedingHappening
  | StartHappening
  | SyncHappening
  | { readonly _tag: "RpcCall"; readonly method: string; readonly user: string; readonly id: string }

/** Receives events at once and in order, for a log in another program's words. Records nothing unless it is provided. */
export class Trace extends Context.Service<Trace, {
  readonly notify: (happening: TraceEvent) => void
}>()("@node/runtime/Trace") {}
