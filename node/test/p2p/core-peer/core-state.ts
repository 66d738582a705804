import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { frameOf } from "@lockstep/protocol/wire/frame.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import type { P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"
import type { Environment } from "../../../src/p2p/basics/environment.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import type { CoreLink } from "./core-link.ts"

/** What the model is like where nodes differ. */
export interface CoreTraits {
  readonly services: bigint
  /** `-blocksonly`. */
  readonly isBlocksOnly: boolean
  /** Blocks are reported and wanted by name alone, as by a node that does not know BIP130. */
  readonly isByName: boolean
  /** It gives no block that it is asked for, as one that stalls. */
  readonly givesNoBlocks: boolean
  /** `-minrelaytxfee`, satoshis a thousand virtual bytes. */
  readonly leastFeerate: bigint
}

/** The model: what it knows of its chain and of all its links. */
export interface CoreState {
  readonly traits: CoreTraits
  readonly chain: P2pChain
  readonly environment: Environment
  readonly links: Set<CoreLink>
  /** Links that it ended, with why: Bitcoin Core would end them too. */
  readonly dropped: Array<string>
  /** What it would bear, and no peer should do. */
  readonly oddities: Array<string>
  readonly sources: Map<string, { readonly link: CoreLink; readonly isCompact: boolean }>
  /** Who it asked to announce by compact blocks. */
  readonly compactFirst: Array<CoreLink>
  /** Transactions whose parents are missing, by witness id; who announced them. */
  readonly orphans: Map<
    string,
    { readonly bytes: Uint8Array; readonly parents: ReadonlyArray<string>; readonly link: CoreLink }
  >
  readonly rejects: Set<string>
  nextInboundTrickle: number
  stallTimeout: number
  lastInvBlock: string | undefined
}

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

export const say = (link: CoreLink, message: Message): void => {
  if (link.isGone) return
  link.said.push(message)
  link.connection.send(frameOf(REGTEST.magic, message, testCrypto))
}

/** Ends a link as `fDisconnect` does. */
export const drop = (core: CoreState, link: CoreLink, reason: string): void => {
  if (link.isGone) return
  core.dropped.push(reason)
  link.isGone = true
  link.connection.close()
}

/** `Misbehaving`: the end, but for a peer of the operator. */
export const maybePunishPeer = (core: CoreState, link: CoreLink, reason: string): void => {
  if (link.kind === "manual") core.dropped.push(`(kept, as it is a manual peer) ${reason}`)
  else drop(core, link, reason)
}

const servicesOf = ({ hello }: CoreLink): bigint => hello?.services ?? 0n

export const servesBlocks = (link: CoreLink): boolean =>
  offers(servicesOf(link), ServiceFlag.NETWORK) || offers(servicesOf(link), ServiceFlag.NETWORK_LIMITED)

export const isLimited = (link: CoreLink): boolean =>
  !offers(servicesOf(link), ServiceFlag.NETWORK) && servesBlocks(link)

export const servesWitnesses = (link: CoreLink): boolean => offers(servicesOf(link), ServiceFlag.WITNESS)

/** `fPreferredDownload`. */
export const isPreferred = (link: CoreLink): boolean => link.kind !== "inbound" && servesBlocks(link)

export const isInitialDownload = ({ chain }: CoreState): boolean => chain.state().initialBlockDownload

const SPACING_MS = 600_000

/** `CanDirectFetch`. */
export const canDirectFetch = ({ chain: { tree }, environment }: CoreState): boolean =>
  tree.tip.header.time * 1_000 > environment.now() - 20 * SPACING_MS

/** The header is not older than a day. */
export const isRecent = ({ environment }: CoreState, node: HeaderIndexNode): boolean =>
  node.header.time * 1_000 > environment.now() - 24 * 3_600_000

/** Links a block is awaited from. */
export const askedOf = ({ links }: CoreState, key: string): ReadonlyArray<CoreLink> =>
  [...links].filter(({ inFlight }) => inFlight.has(key))

/** All blocks that are awaited. */
export const awaitedKeys = ({ links }: CoreState): ReadonlySet<string> =>
  new Set([...links].flatMap(({ inFlight }) => [...inFlight.keys()]))

/** `RemoveBlockRequest`: from one link, or from all. */
export const noLongerAwaited = (core: CoreState, key: string, by?: CoreLink): void => {
  for (const link of by === undefined ? core.links : [by]) {
    if (!link.inFlight.has(key)) continue
    if (link.inFlight.keys().next().value === key) {
      link.downloadingSince = Math.max(link.downloadingSince, core.environment.now())
    }
    link.inFlight.delete(key)
    link.stallingSince = 0
  }
}

/** `BlockRequested`. */
export const nowAwaited = (core: CoreState, link: CoreLink, node: HeaderIndexNode): void => {
  if (link.inFlight.size === 0) link.downloadingSince = core.environment.now()
  link.inFlight.set(hex(node.hash), { node, compact: undefined })
}
