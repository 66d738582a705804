import type { UnixMilliseconds } from "../../quantities.ts"
import type { Crypto } from "@lockstep/kernel/crypto"
import { networkGroup } from "../../net/address-place.ts"
import { endpointKey } from "../../net/endpoint-text.ts"
import type { Peer } from "../peer/peer.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { MILLISECONDS } from "../../units.ts"

/**
 * Returns the peers that an address is relayed to: the same for a day, so that a sender gains nothing by repeating it.
 * A secret key chooses them, and decides whether an address that this node cannot reach goes to one or two.
 */
export const relayTargets = (
  crypto: Crypto,
  key: Uint8Array,
  endpoint: Endpoint,
  peers: ReadonlyArray<Peer>,
  isReachable: boolean,
  now: UnixMilliseconds
): ReadonlyArray<Peer> => {
  const address = endpointKey(endpoint)
  // The offset makes addresses change their targets at different moments.
  const offset = Buffer.from(crypto.sha256(Buffer.from(`${networkGroup(endpoint.address)}|${address}`))).readUIntBE(
    0,
    6
  )
  const day = Math.floor((now + offset % MILLISECONDS.day) / MILLISECONDS.day)
  const keyed = (text: string): number =>
    Buffer.from(crypto.sha256(Buffer.concat([key, Buffer.from(`${address}|${day}|${text}`)]))).readUIntBE(0, 6)
  const score = ({ id }: Peer): number => keyed(String(id))
  const count = isReachable || keyed("") % 2 === 1 ? 2 : 1
  return peers.map((peer) => ({ peer, score: score(peer) })).toSorted((a, b) => b.score - a.score).slice(0, count)
    .map(({ peer }) => peer)
}
