import { headerOf } from "@lockstep/kernel/model"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import type { ChainState } from "../../../src/engine/api/chain-state.ts"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { addHeader, headerIndex, type HeaderIndex, setStatus } from "../../../src/engine/header-index/header-index.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import type { ChainNotification, P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { type StillMempool, stillMempool } from "./still-mempool.ts"

/** A chain that a test fills by hand: nothing in it is judged. */
export interface StillChain extends P2pChain, StillMempool {
  readonly tree: HeaderIndex
  readonly blocks: Map<HeaderIndexNode, Uint8Array>
  readonly set: (state: Partial<ChainState>) => void
  /** Puts a stored block on top of another, the tip if none is named, and makes it the tip if it has more work. */
  readonly extend: (block: Uint8Array, onto?: HeaderIndexNode) => HeaderIndexNode
  readonly notify: <K extends keyof ChainNotification>(what: K, ...news: Parameters<ChainNotification[K]>) => void
}

const genesis = REGTEST.genesisBlock.subarray(0, 80)

const stateOf = (tip: HeaderIndexNode): ChainState => ({
  height: tip.height,
  hash: tip.hash,
  time: tip.header.time,
  bits: tip.header.bits,
  medianTime: tip.header.time,
  chainWork: tip.chainWork,
  headersHeight: tip.height,
  headersHash: tip.hash,
  progress: 1,
  initialBlockDownload: false,
  sizeOnDisk: 0,
  pruned: false,
  pruneHeight: undefined,
  transactions: 1,
  cacheBytes: 0,
  cacheChanges: 0,
  inputs: 0,
  halted: undefined,
  loadingBlocks: false,
  warnings: [],
  mockTime: 0
})

/** Bytes that look like a block where only its header and the count of its transactions are read: none. */
export const hollowBlock = (parent: HeaderIndexNode, salt = 0): Uint8Array => {
  const bytes = new Uint8Array(81)
  bytes.set(genesis)
  bytes.set(parent.hash, 4)
  const view = new DataView(bytes.buffer)
  view.setUint32(68, parent.header.time + 600, true)
  view.setUint32(76, salt, true)
  return bytes
}

export const stillChain = (): StillChain => {
  const notify: StillChain["notify"] = (what, ...news) => {
    for (const listener of listeners) (listener[what] as ((...observed: typeof news) => void) | undefined)?.(...news)
  }
  const tree = headerIndex(genesis, testCrypto.sha256d(genesis))
  const blocks = new Map<HeaderIndexNode, Uint8Array>([[tree.tip, REGTEST.genesisBlock]])
  setStatus(tree, tree.tip, HeaderStatus.STORED | HeaderStatus.CONNECTED | HeaderStatus.LINKED)
  let state = stateOf(tree.tip)
  const listeners = new Set<Partial<ChainNotification>>()
  return {
    tree,
    blocks,
    ...stillMempool((transaction, reason) => notify("transactionRemoved", transaction, reason)),
    state: () => state,
    set: (changes) => {
      state = { ...state, ...changes }
    },
    extend: (block, onto = tree.tip) => {
      const header = block.subarray(0, 80)
      const node = addHeader(tree, onto, headerOf(header).bytes, testCrypto.sha256d(header))
      setStatus(tree, node, HeaderStatus.STORED | HeaderStatus.CONNECTED | HeaderStatus.LINKED)
      blocks.set(node, block)
      if (node.chainWork > tree.tip.chainWork) {
        setTip(tree, node)
        state = { ...stateOf(node), initialBlockDownload: state.initialBlockDownload }
      }
      return node
    },
    notify,
    acceptHeaders: () => Effect.succeed({ accepted: 0, rejection: undefined }),
    acceptBlock: () => Effect.succeed({ hash: new Uint8Array(32), isNew: false, rejection: undefined }),
    beginCompactBlock: () => Effect.succeed(undefined),
    fillCompactBlock: () => Effect.succeed(undefined),
    dropCompactBlock: () => Effect.void,
    blockBytes: (node) => Effect.succeed(blocks.get(node)),
    listen: (news) => {
      listeners.add(news)
      return () => void listeners.delete(news)
    }
  }
}
