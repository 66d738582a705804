import type { PeerSync } from "../peer-sync.ts"
import type { SyncState } from "../sync-state.ts"
import { chooseHighBandwidth } from "./high-bandwidth.ts"

const say = ({ peer }: PeerSync, announce: boolean): void => peer.send({ command: "sendcmpct", announce, version: 2n })

/**
 * Asks a peer that delivered a valid block to announce the next ones as compact blocks. The caller checks that no
 * others were in flight, so this peer was the fastest.
 */
export const chooseForHighBandwidth = (sync: SyncState, from: PeerSync): void => {
  const { compact, peers } = sync
  if (!compact.isOn || !compact.preferences.servesCompact(from.peer)) return
  const { dropped, isNew, list } = chooseHighBandwidth(
    compact.chosen,
    from.peer.id,
    (id) => peers.get(id)?.peer.inbound
  )
  compact.chosen = list
  if (!isNew) return
  const former = dropped === undefined ? undefined : peers.get(dropped)
  if (former !== undefined) {
    former.isHighBandwidth = false
    say(former, false)
  }
  from.isHighBandwidth = true
  say(from, true)
}
