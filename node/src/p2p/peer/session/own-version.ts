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

/** What a session says of this node. */
export interface OwnVersionInfo {
  readonly userAgent: string
  /** Whether transactions of others are wanted at all. */
  readonly wantsTransactions: boolean
  /** Whether packages are relayed (BIP331); none: they are not. */
  readonly relaysPackages?: boolean | undefined
  /** Whether this node agrees to reconcile transactions (BIP330); none: it does not. */
  readonly reconciles?: boolean | undefined
  /** Whether addresses of nodes over QUIC and Iroh are understood; none: they are not. */
  readonly knowsUdpAddresses?: boolean | undefined
  /** Milliseconds for a handshake; none: {@link PEER_LIMITS}. */
  readonly peerTimeout?: Milliseconds | undefined
}

/** Whether a peer may announce transactions to this node: the `relay` of the `version` sent to it. */
export const mayAnnounce = (peer: Peer, { wantsTransactions }: OwnVersionInfo): boolean =>
  (wantsTransactions || peer.permissions.has("relay")) && (isFullRelay(peer) || peer.kind === "addr-fetch")

/** Whether a peer learns before `verack` that packages may be relayed with it. */
export const offersPackages = (peer: Peer, versionInfo: OwnVersionInfo): boolean =>
  versionInfo.relaysPackages === true && mayAnnounce(peer, versionInfo)

/** What we say first. Our own address is never in it. */
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
