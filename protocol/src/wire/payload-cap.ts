import { LIMITS, type ProtocolLimits } from "./limits.ts"

/**
 * Bytes that the payload of a message may declare, whatever its command, and before the handshake too. A limit for each
 * command would refuse what Bitcoin Core reads, and save nothing: a peer that may send a block may hold as much by it.
 */
export const payloadMost = ({ messageLength }: ProtocolLimits): number => Math.min(messageLength, LIMITS.message.most)
