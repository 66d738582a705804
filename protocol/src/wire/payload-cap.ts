import { LIMITS, type ProtocolLimits } from "./limits.ts"

/**
 * Returns the maximum bytes of a payload, whatever its command, even before the handshake. A limit for each command
 * would refuse what Bitcoin Core reads, and save nothing: a peer that may send a block can occupy as much with it.
 */
export const payloadMost = ({ messageLength }: ProtocolLimits): number => Math.min(messageLength, LIMITS.message.most)
