import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { knownSplits } from "@lockstep/protocol/networks/known-splits.ts"
import type { Height } from "@lockstep/kernel/quantities"
import type { Moment } from "../../quantities.ts"
import { displayHash } from "../../hex.ts"
import { rollingAddresses } from "../basics/rolling-addresses.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { Peer } from "../peer/peer.ts"

/** How a peer shows that it follows another chain: by headers of another format, or by a branch of less work. */
export type ForeignSign = "headers" | "branch"

/** A branch of blocks that are headers here as well. */
export interface MinorityBranch {
  /** Of the last block that both chains have. */
  readonly forkHeight: Height
  readonly height: Height
  readonly hash: Uint8Array
}

/** Chains that others follow on this network's magic and ports, as far as peers show them. */
export interface ForeignChains {
  /** Peers that showed one since the start, by the sign. */
  readonly met: Readonly<Record<ForeignSign, number>>
  /** Whether a peer of that address did lately: others are connected to first. */
  readonly has: (address: NetworkAddress) => boolean
  /** A peer showed headers that cannot be of this chain. */
  readonly showedHeaders: (peer: Peer) => void
  /** A peer follows a branch of less work, and said so again when asked. */
  readonly showedBranch: (peer: Peer, branch: MinorityBranch) => void
  /** What an operator should know: which chains there are, which is followed, and why. None lately: undefined. */
  readonly notice: () => string | undefined
}

/** How long what was seen is reported. */
const REPORTED_MS = 24 * 60 * 60_000
/** Addresses that are remembered; a restart forgets them. */
const MOST_ADDRESSES = 10_000

const FOLLOWED = "This node follows the valid chain with the most work"

/** Whether the connection serves what an operator asked for, so that it is kept. */
const isKept = ({ isTrusted, kind }: Peer): boolean => kind === "manual" || isTrusted

/**
 * Records which peers follow another chain. Such a peer is disconnected where that frees a slot for another, and is neither
 * banned nor discouraged: it is honest, and its address may follow this chain tomorrow.
 */
export const foreignChains = ({ chain, environment: { now }, network, notify }: P2pContext): ForeignChains => {
  const met: Record<ForeignSign, number> = { headers: 0, branch: 0 }
  const addresses = rollingAddresses(MOST_ADDRESSES)
  const seen: Record<ForeignSign, Moment> = { headers: 0, branch: 0 }
  let branch: MinorityBranch | undefined
  const splits = knownSplits(network.name)
  /** Peers that are kept show the same again and again. */
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
      // An inbound one takes no place that this node could fill itself.
      if (!peer.inbound && !isKept(peer)) peer.disconnect({ _tag: "ForeignBranch" })
    }
  }
}
