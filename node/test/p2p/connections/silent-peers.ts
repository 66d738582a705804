import { inbound } from "../../../src/p2p/connections/inbound.ts"
import type { Reputation } from "../../../src/p2p/connections/reputation.ts"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import type { Peer } from "../../../src/p2p/peer/peer.ts"
import { endpoint } from "../transport/transport-suite.ts"

/** A gate for inbound peers that say nothing, each of another address, which leave when they are disconnected. */
export const gateOfSilentPeers = (parts: Omit<P2pContext, "peers">, most: number) => {
  const peers = new Map<number, Peer>()
  const context: P2pContext = { ...parts, peers }
  const reputation = { isBanned: () => false, discouraged: { has: () => false } } as unknown as Reputation
  const gate = inbound({ context, reputation, most, isActive: () => true, trusts: () => false })
  let next = 0
  /** One more peer connects; answers why it may not. */
  const come = (): string | undefined => {
    const id = next++
    const at = endpoint(`20.${id >> 8}.${id & 255}.1:1`)
    const objection = gate.objection({ local: undefined, remote: at })
    if (objection !== undefined) return objection
    const silent = {
      id,
      inbound: true,
      isGone: false,
      isReady: false,
      isTrusted: false,
      connectedAt: context.environment.now(),
      endpoint: at,
      name: `${id}`,
      disconnect: () => void peers.delete(id)
    }
    peers.set(id, silent as unknown as Peer)
    return undefined
  }
  return { peers, gate, come }
}
