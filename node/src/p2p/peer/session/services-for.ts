import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { Peer } from "../peer.ts"

/** Returns the services offered to a peer: those offered to all, and Bloom filters with the permission. */
export const servicesFor = ({ permissions }: Peer, { services }: Pick<P2pContext, "services">): bigint =>
  services() | (permissions.has("bloomfilter") ? ServiceFlag.BLOOM : 0n)
