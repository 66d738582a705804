import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { VersionMessage } from "@lockstep/protocol/wire/messages/version.ts"
import { userAgentBytes } from "@lockstep/protocol/wire/user-agent.ts"
import { ProtocolVersion } from "../peer/session/protocol-versions.ts"

const NOWHERE: NetworkAddress = { network: AddressNetwork.IPV6, bytes: new Uint8Array(16) }

const NOTHING = { services: 0n, address: NOWHERE, port: 0 }

const USER_AGENT = "/pynode:0.0.1/"

/**
 * Makes the `version` of a private connection. It is the same for every node, so that two connections of one node
 * cannot be linked. Only the random nonce differs.
 */
export const privateVersion = (nonce: bigint): VersionMessage => ({
  command: "version",
  version: ProtocolVersion.WITNESS_IDS,
  services: 0n,
  time: 0n,
  receiver: NOTHING,
  sender: { from: NOTHING, nonce },
  userAgent: userAgentBytes(USER_AGENT),
  startHeight: 0,
  relay: 0
})
