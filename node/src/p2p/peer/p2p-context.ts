import type { Crypto } from "@lockstep/kernel/crypto"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import type { ProtocolLimits } from "@lockstep/protocol/wire/limits.ts"
import type { TransportCrypto } from "@lockstep/protocol/wire/v2-transport/transport-crypto.ts"
import type { P2pChain } from "../chain/p2p-chain.ts"
import type { Environment } from "../basics/environment.ts"
import type { NetGroups } from "../../net/net-groups.ts"
import type { Peer } from "./peer.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"

/** What every part of the network layer may use. */
export interface P2pContext {
  readonly network: Network
  readonly crypto: Crypto
  /** What the v2 transport encrypts with; none: this node speaks v1 alone. */
  readonly transportCrypto?: TransportCrypto | undefined
  readonly limits: ProtocolLimits
  /** How addresses are grouped; none: by their first bytes. */
  readonly groups?: NetGroups | undefined
  readonly environment: Environment
  readonly chain: P2pChain
  /** All connections, by id, in order of arrival. */
  readonly peers: ReadonlyMap<number, Peer>
  readonly notify: P2pNotifications
  /** Service bits this node announces. */
  readonly services: () => bigint
}
