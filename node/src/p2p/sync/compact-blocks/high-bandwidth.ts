/** High-bandwidth peers, from which this node wants new blocks as compact blocks, unrequested (BIP152). */
export const MOST_HIGH_BANDWIDTH = 3

/** What is known of a peer that delivered a block; none: it is gone. */
export type InboundOf = (id: number) => boolean | undefined

/** The list after a peer delivered a block, the longest unused peer first. */
export interface Chosen {
  readonly list: ReadonlyArray<number>
  /** The peer is new on it. */
  readonly isNew: boolean
  /** The peer that went for it; it may be gone. */
  readonly dropped: number | undefined
}

/** The only outbound peer moves to the second place when it would be the next one to go for an inbound peer. */
const sparingOutbound = (list: ReadonlyArray<number>, isInbound: InboundOf): ReadonlyArray<number> => {
  const [first, second, ...rest] = list
  const outbound = list.filter((id) => isInbound(id) === false)
  const isSpared = list.length >= MOST_HIGH_BANDWIDTH && outbound.length === 1 && outbound[0] === first
  return isSpared ? [second!, first!, ...rest] : list
}

/**
 * Chooses the peer that delivered a block: the last three peers that did stay, and one outbound peer among them as long as
 * there is one (Core: `MaybeSetPeerAsAnnouncingHeaderAndIDs`). Peers that are gone stay until others come.
 */
export const chooseHighBandwidth = (list: ReadonlyArray<number>, id: number, isInbound: InboundOf): Chosen => {
  if (list.includes(id)) return { list: [...list.filter((each) => each !== id), id], isNew: false, dropped: undefined }
  const spared = isInbound(id) === true ? sparingOutbound(list, isInbound) : list
  const isFull = spared.length >= MOST_HIGH_BANDWIDTH
  return {
    list: [...spared.slice(isFull ? 1 : 0), id],
    isNew: true,
    dropped: isFull ? spared[0] : undefined
  }
}
