import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import { fitsOldForm } from "@lockstep/protocol/wire/address/address-kind.ts"
import { userAgentBytes } from "@lockstep/protocol/wire/user-agent.ts"
import type { VersionMessage } from "@lockstep/protocol/wire/messages/version.ts"
import { type Milliseconds, secondsOf } from "../../../quantities.ts"
import { nodeClock } from "../node-clock.ts"
import type { P2pContext } from "../p2p-context.ts"
import { isFullRelay, type Peer } from "../peer.ts"
import { servicesFor } from "./services-for.ts"
import { ProtocolVersion } from "./protocol-versions.ts"

const NOWHERE: NetworkAddress = { network: AddressNetwork.IPV6, bytes: new Uint8Array(16) }

/** The node's data that a session announces. */
export interface OwnVersionInfo {
  readonly userAgent: string
  /** True if transactions of peers are wanted. */
  readonly wantsTransactions: boolean
  /** True if packages are relayed (BIP331); the default is false. */
  readonly relaysPackages?: boolean | undefined
  /** True if the node negotiates transaction reconciliation (BIP330); the default is false. */
  readonly reconciles?: boolean | undefined
  /** True if addresses of nodes over QUIC and Iroh are understood; the default is false. */
  readonly knowsUdpAddresses?: boolean | undefined
  /** Milliseconds for a handshake; {@link PEER_LIMITS} by default. */
  readonly peerTimeout?: Milliseconds | undefined
}

/** True if a peer may announce transactions to this node: the `relay` of the `version` sent to it. */
export const mayAnnounce = (peer: Peer, { wantsTransactions }: OwnVersionInfo): boolean =>
  (wantsTransactions || peer.permissions.has("relay")) && (isFullRelay(peer) || peer.kind === "addr-fetch")

/** True if package relay is offered to a peer before `verack`. */
export const offersPackages = (peer: Peer, versionInfo: OwnVersionInfo): boolean =>
  versionInfo.relaysPackages === true && mayAnnounce(peer, versionInfo)

/** Makes the `version` message. It never contains this node's own address. */
export const ourVersion = (
  peer: Peer,
  context: P2pContext,
  versionInfo: OwnVersionInfo,
  nonce: bigint
): VersionMessage => {
  const { chain } = context
  const services = servicesFor(peer, context)
  const { address, port } = peer.endpoint
  const isSendable = isRoutable(address) && fitsOldForm(address)
  return {
    command: "version",
    version: ProtocolVersion.OURS,
    services,
    time: BigInt(secondsOf(nodeClock(context)())),
    receiver: {
      services: peer.hello?.services ?? 0n,
      address: isSendable ? address : NOWHERE,
      port: isSendable ? port : 0
    },
    sender: { from: { services, address: NOWHERE, port: 0 }, nonce },
    userAgent: userAgentBytes(versionInfo.userAgent),
    startHeight: chain.state().height,
    relay: mayAnnounce(peer, versionInfo) ? 1 : 0
  }
}
