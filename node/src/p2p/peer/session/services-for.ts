import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { Peer } from "../peer.ts"

/** The services that the node offers to a peer: those it offers to all, and bloom filters where an operator permits. */
export const servicesFor = ({ permissions }: Peer, { services }: Pick<P2pContext, "services">): bigint =>
  services() | (permissions.has("bloomfilter") ? ServiceFlag.BLOOM : 0n)
