import type { TreeNode } from "../engine/header-tree/tree-node.ts"
import type { P2pChain } from "./chain/p2p-chain.ts"
import type { AddressBook } from "./addresses/address-book.ts"
import type { Connections } from "./connections/connections.ts"
import type { Reputation } from "./connections/reputation.ts"
import type { Environment } from "./environment.ts"
import type { Peer } from "./peer/peer.ts"
import type { Session } from "./peer/session/session.ts"
import type { PeerFigures } from "./peer-figures.ts"
import type { UploadTarget } from "./serving/upload-target.ts"
import type { SyncStatus } from "./sync/sync-status.ts"
import type { Endpoint } from "./transport/transport.ts"

/** A proxy that a kind of address is reached through. */
export interface NetworkReach {
  /** `ipv4`, `ipv6`, `onion`, `i2p`, `cjdns`. */
  readonly name: string
  readonly isReachable: boolean
  /** Address and port, or empty. */
  readonly proxy: string
  readonly isIsolated: boolean
}

/** Where others may reach us, as far as we know. */
export interface OwnAddress extends Endpoint {
  readonly score: number
}

/** The network layer as the rest of the node sees it. */
export interface NetworkService {
  readonly environment: Environment
  /** Milliseconds since 1970, as the node's clock has it. */
  readonly time: () => number
  readonly chain: P2pChain
  /** The node's clock was set: what waits sees each step of it, however soon the next one follows. */
  readonly clockSet: () => void
  /** All connections, by id, in order of arrival. */
  readonly peers: ReadonlyMap<number, Peer>
  readonly figures: PeerFigures
  readonly book: AddressBook
  readonly reputation: Reputation
  readonly connections: Connections
  /** Fibers that handle connections. */
  readonly fibers: () => number
  readonly totals: { readonly received: number; readonly sent: number }
  readonly services: () => bigint
  readonly userAgent: string
  readonly protocolVersion: number
  /** Whether transactions go to and fro. */
  readonly relaysTransactions: boolean
  readonly reach: ReadonlyArray<NetworkReach>
  readonly ownAddresses: () => ReadonlyArray<OwnAddress>
  /** Where others are listened for, the first place first; none: nowhere. */
  readonly listening: ReadonlyArray<Endpoint>
  /** What clocks of nodes that we connected to say about ours. */
  readonly clocks: Session["clocks"]
  /** Sends a ping to everybody. */
  readonly pingAll: () => void
  /**
   * Asks a peer for a block, whether it was announced or not. Answers why that cannot be. The block is one whose header is
   * in the tree.
   */
  readonly askForBlock: (peer: Peer, node: TreeNode) => string | undefined
  readonly uploadTarget: UploadTarget
  readonly syncStatus: () => SyncStatus
}
