/**
 * Maximum number of high-bandwidth peers, from which this node requests unrequested compact blocks of new blocks
 * (BIP152).
 */
export const MOST_HIGH_BANDWIDTH = 3

/** Reports whether a peer is inbound; `undefined` if it is gone. */
export type InboundOf = (id: number) => boolean | undefined

/** The list after a peer delivered a block, the least recently useful peer first. */
export interface Chosen {
  readonly list: ReadonlyArray<number>
  /** True if the peer was not on the list before. */
  readonly isNew: boolean
  /** The peer that was removed for it; it may have disconnected. */
  readonly dropped: number | undefined
}

/** Moves the only outbound peer to the second position, if it would be the next one removed for an inbound peer. */
const sparingOutbound = (list: ReadonlyArray<number>, isInbound: InboundOf): ReadonlyArray<number> => {
  const [first, second, ...rest] = list
  const outbound = list.filter((id) => isInbound(id) === false)
  const isSpared = list.length >= MOST_HIGH_BANDWIDTH && outbound.length === 1 && outbound[0] === first
  return isSpared ? [second!, first!, ...rest] : list
}

/**
 * Adds a peer that delivered a block. The last three such peers are kept, with an outbound peer among them as long as
 * one exists (Core: `MaybeSetPeerAsAnnouncingHeaderAndIDs`). Disconnected peers stay until others replace them.
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
