import type { Crypto } from "@lockstep/kernel/crypto"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import type { ProtocolLimits } from "@lockstep/protocol/wire/limits.ts"
import type { TransportCrypto } from "@lockstep/protocol/wire/v2-transport/transport-crypto.ts"
import type { P2pChain } from "../chain/p2p-chain.ts"
import type { Environment } from "../basics/environment.ts"
import type { NetGroups } from "../../net/net-groups.ts"
import type { Peer } from "./peer.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"

/** Context that all parts of the network layer share. */
export interface P2pContext {
  readonly network: Network
  readonly crypto: Crypto
  /** Cryptography of the v2 transport; absent if this node speaks only v1. */
  readonly transportCrypto?: TransportCrypto | undefined
  readonly limits: ProtocolLimits
  /** Network groups of addresses; by address prefix if absent. */
  readonly groups?: NetGroups | undefined
  readonly environment: Environment
  readonly chain: P2pChain
  /** All connections, by id, in order of arrival. */
  readonly peers: ReadonlyMap<number, Peer>
  readonly notify: P2pNotifications
  /** Service bits this node announces. */
  readonly services: () => bigint
}
