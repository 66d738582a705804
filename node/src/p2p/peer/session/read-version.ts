import type { UnixMilliseconds } from "../../../quantities.ts"
import { isValid } from "@lockstep/protocol/wire/address/is-routable.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import { userAgentText } from "@lockstep/protocol/wire/user-agent.ts"
import { type VersionMessage, wantsTransactions } from "@lockstep/protocol/wire/messages/version.ts"
import type { DisconnectReason } from "../../../runtime/disconnect-reason.ts"
import { nodeClock } from "../node-clock.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { PeerVersion, Peer } from "../peer.ts"
import { PEER_LIMITS } from "../peer-limits.ts"
import { ProtocolVersion } from "./protocol-versions.ts"

/** Bound in seconds, beyond any plausible clock error. The time that a peer states is only shown to the operator. */
const FURTHEST = 2 ** 40

const timeOffset = (time: bigint, now: UnixMilliseconds): number => {
  const seconds = Number(time < 0n ? 0n : time) - Math.floor(now / 1_000)
  return Math.max(-FURTHEST, Math.min(FURTHEST, seconds))
}

/** Returns the peer's data in a `version` message. */
export const versionOf = (message: VersionMessage, now: UnixMilliseconds): PeerVersion => {
  const { receiver, services, startHeight, time, userAgent, version } = message
  return {
    version: Math.min(version, ProtocolVersion.OURS),
    ownVersion: version,
    services,
    userAgent: userAgentText(userAgent ?? new Uint8Array(0)),
    startHeight: startHeight ?? -1,
    relay: wantsTransactions(message),
    isFiltered: false,
    timeOffset: timeOffset(time, now),
    addressSeen: isValid(receiver.address) ? { address: receiver.address, port: receiver.port } : undefined,
    wtxidRelay: false,
    wantsAddrV2: false,
    knowsUdpAddresses: false,
    packages: 0n
  }
}

/** True if this node is close enough to the tip to use a peer that serves only the last blocks. */
const isNearTip = (context: P2pContext): boolean => {
  const { chain, network } = context
  const behind = (nodeClock(context)() / 1_000 - chain.state().time) / network.parameters.work.targetSpacing
  return behind < PEER_LIMITS.limitedDepth.most
}

/**
 * Returns the services that a peer with these services needs to be useful for blocks (Core:
 * `GetDesirableServiceFlags`).
 */
export const desiredServices = (services: bigint, context: P2pContext): bigint => {
  const isLimitedEnough = offers(services, ServiceFlag.NETWORK_LIMITED) && isNearTip(context)
  return ServiceFlag.WITNESS | (isLimitedEnough ? ServiceFlag.NETWORK_LIMITED : ServiceFlag.NETWORK)
}

/**
 * Returns the services required of the peer of an automatic outbound connection. Inbound, manual and feeler connections
 * need none.
 */
export const neededServices = ({ kind }: Peer, services: bigint, context: P2pContext): bigint =>
  kind === "inbound" || kind === "manual" || kind === "feeler" ? 0n : desiredServices(services, context)

/** Returns the reason to disconnect a peer because of its `version`, or `undefined` if it is acceptable. */
export const objectionToVersion = (
  peer: Peer,
  { services, version }: Pick<VersionMessage, "services" | "version">,
  context: P2pContext
): DisconnectReason | undefined => {
  const expected = neededServices(peer, services, context)
  if (!offers(services, expected)) return { _tag: "ServicesMissing", offered: services, expected }
  return version < PEER_LIMITS.oldestVersion.most ? { _tag: "ObsoleteVersion", version } : undefined
}
