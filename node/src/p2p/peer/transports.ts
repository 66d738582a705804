import type { ProtocolLimits } from "@lockstep/protocol/wire/limits.ts"
import { lengthFramedTransport } from "@lockstep/protocol/wire/length-framed-transport.ts"
import type { PeerTransport, TransportOutput } from "@lockstep/protocol/wire/peer-transport.ts"
import { v1Transport } from "@lockstep/protocol/wire/v1-transport.ts"
import { v2Transport } from "@lockstep/protocol/wire/v2-transport/v2-transport.ts"
import type { P2pContext } from "./p2p-context.ts"
import type { LivePeer, Opening } from "./live-peer.ts"
import type { Taken } from "./peer-host.ts"
import { PEER_LIMITS } from "./peer-limits.ts"

/**
 * Selects the transport of a connection. It is v2 if this side begins with it, and on each inbound connection, whose
 * peer then decides. It is v1 otherwise, and always in a node without v2. QUIC and Iroh are encrypted themselves, and
 * carry v1 messages with a length prefix.
 */
export const transportsOf = (
  { crypto, environment: { random }, network: { magic }, notify, transportCrypto }: P2pContext,
  limits: ProtocolLimits
) =>
({ isV2 = false, kind }: Taken): Opening["transport"] =>
(peer: LivePeer, output: TransportOutput): PeerTransport => {
  const plain = { crypto, limits, magic, output }
  if (peer.endpoint.quic !== undefined) return lengthFramedTransport(plain, "quic")
  if (peer.endpoint.iroh !== undefined) return lengthFramedTransport(plain, "iroh")
  const isInitiator = kind !== "inbound"
  if (transportCrypto === undefined || (isInitiator && !isV2)) return v1Transport(plain)
  const agreed = (): void => peer.work.charge(PEER_LIMITS.keyAgreement.most)
  const opened = (): void => notify.trace?.({ _tag: "V2HandshakeBegun", peer: peer.id })
  return v2Transport({ ...plain, transportCrypto, random, isInitiator, agreed, opened })
}
