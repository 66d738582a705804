import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { knownSplits } from "@lockstep/protocol/networks/known-splits.ts"
import type { Height } from "@lockstep/kernel/quantities"
import type { Moment } from "../../quantities.ts"
import { displayHash } from "../../hex.ts"
import { rollingAddresses } from "../basics/rolling-addresses.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { Peer } from "../peer/peer.ts"

/** The evidence that a peer follows another chain: headers of another format, or a branch with less work. */
export type ForeignSign = "headers" | "branch"

/** A branch of blocks whose headers are in the header index. */
export interface MinorityBranch {
  /** Height of the last common block of both chains. */
  readonly forkHeight: Height
  readonly height: Height
  readonly hash: Uint8Array
}

/** Chains that other nodes follow on this network's magic and ports, as far as peers reveal them. */
export interface ForeignChains {
  /** Number of peers that revealed one since the start, by sign. */
  readonly met: Readonly<Record<ForeignSign, number>>
  /** True if a peer of that address did so recently; others are preferred for connections. */
  readonly has: (address: NetworkAddress) => boolean
  /** Records that a peer sent headers that cannot belong to this chain. */
  readonly showedHeaders: (peer: Peer) => void
  /** Records that a peer follows a branch with less work, and confirmed it when asked. */
  readonly showedBranch: (peer: Peer, branch: MinorityBranch) => void
  /**
   * Returns a notice for the operator: the other chains, the followed one, and why. `undefined` if no peer revealed one
   * recently.
   */
  readonly notice: () => string | undefined
}

/** Milliseconds for which a sighting is reported. */
const REPORTED_MS = 24 * 60 * 60_000
/** Maximum number of remembered addresses; a restart forgets them. */
const MOST_ADDRESSES = 10_000

const FOLLOWED = "This node follows the valid chain with the most work"

/** True if the connection is kept because an operator requested it. */
const isKept = ({ isTrusted, kind }: Peer): boolean => kind === "manual" || isTrusted

/**
 * Records which peers follow another chain. Such a peer is disconnected if that frees a slot for another. It is neither
 * banned nor discouraged: it is honest, and its address may follow this chain tomorrow.
 */
export const foreignChains = ({ chain, environment: { now }, network, notify }: P2pContext): ForeignChains => {
  const met: Record<ForeignSign, number> = { headers: 0, branch: 0 }
  const addresses = rollingAddresses(MOST_ADDRESSES)
  const seen: Record<ForeignSign, Moment> = { headers: 0, branch: 0 }
  let branch: MinorityBranch | undefined
  const splits = knownSplits(network.name)
  /** Peers that are kept reveal the same repeatedly. */
  const reported = new WeakSet<Peer>()

  const isRecent = (sign: ForeignSign): boolean => seen[sign] !== 0 && now() - seen[sign] < REPORTED_MS

  const headersText = (): string => {
    const split = splits.find(({ hasOtherHeaders }) => hasOtherHeaders)
    const since = split === undefined ? "" : `, since height ${split.height}: ${split.what}`
    return `Other nodes of this network follow a chain with headers of another format${since}`
  }

  const branchText = ({ forkHeight, hash, height }: MinorityBranch): string => {
    const split = splits.find((each) => each.height === forkHeight + 1)
    const why = split === undefined ? "" : ` (${split.what})`
    return `A minority chain has left this one behind height ${forkHeight}${why}: it has ${
      height - forkHeight
    } blocks ` +
      `since, up to ${displayHash(hash)}, and less work than the ${chain.tree.tip.height - forkHeight} here`
  }

  const notice = (): string | undefined => {
    const texts = [
      ...isRecent("headers") ? [headersText()] : [],
      ...isRecent("branch") && branch !== undefined ? [branchText(branch)] : []
    ]
    return texts.length === 0 ? undefined : [...texts, FOLLOWED].join(". ")
  }

  const note = (peer: Peer, sign: ForeignSign): void => {
    const isNews = !isRecent(sign)
    seen[sign] = now()
    if (reported.has(peer)) return
    reported.add(peer)
    met[sign]++
    addresses.add(peer.endpoint.address)
    if (isNews) notify.log("warn", notice() ?? FOLLOWED, { peer: peer.name })
  }

  return {
    met,
    has: addresses.has,
    notice,
    showedHeaders: (peer) => {
      note(peer, "headers")
      if (!isKept(peer)) peer.disconnect({ _tag: "ForeignHeaders" })
    },
    showedBranch: (peer, shown) => {
      branch = shown
      note(peer, "branch")
      // An inbound peer takes no slot that this node could fill itself.
      if (!peer.inbound && !isKept(peer)) peer.disconnect({ _tag: "ForeignBranch" })
    }
  }
}
