import { lastCommonAncestor } from "@lockstep/kernel/chain"
import { type Header, headerOf } from "@lockstep/kernel/model"
import { expandTarget, hashNumber } from "@lockstep/kernel/work"
import { networkCalled } from "@lockstep/protocol/networks/table.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import * as Effect from "effect/Effect"
import { misbehaviorText } from "../../../src/runtime/misbehavior.ts"
import { disconnectText } from "../../../src/runtime/disconnect-reason.ts"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { addHeader, headerIndex, nodeOf, setStatus } from "../../../src/engine/header-index/header-index.ts"
import { linkBlock } from "../../../src/engine/header-index/link-block.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import type { ChainState } from "../../../src/engine/api/chain-state.ts"
import { mempoolReplica } from "../../../src/p2p/chain/mempool-replica.ts"
import type { ChainNotification, P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { noTraffic } from "../../../src/p2p/peer/live-peer.ts"
import type { PeerVersion, Peer, PeerKind } from "../../../src/p2p/peer/peer.ts"
import { pendingWork } from "../../../src/p2p/peer/pending-work.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

export const REGTEST = networkCalled("regtest")!

const BITS = 0x207fffff
const TARGET = expandTarget(BITS)!
const GENESIS = REGTEST.genesisBlock.subarray(0, 80)
export const GENESIS_HASH = testCrypto.sha256d(GENESIS)
const GENESIS_TIME = headerOf(GENESIS).time

/** A header with proof of work; `salt` makes branches differ. */
export const minedHeader = (previous: Uint8Array, time: number, salt: number, bits = BITS): Header => {
  const bytes = new Uint8Array(80)
  const view = new DataView(bytes.buffer)
  view.setInt32(0, 0x20000000, true)
  bytes.set(previous, 4)
  view.setUint32(36, salt, true)
  view.setUint32(68, time, true)
  view.setUint32(72, bits, true)
  for (let nonce = 0;; nonce++) {
    view.setUint32(76, nonce, true)
    if (hashNumber(testCrypto.sha256d(bytes)) <= TARGET) return headerOf(bytes)
  }
}

/** Headers on top of `previous`, ten minutes apart. */
export const minedChain = (
  count: number,
  salt = 0,
  previous = GENESIS_HASH,
  since = GENESIS_TIME
): ReadonlyArray<Header> => {
  const headers: Array<Header> = []
  let hash = previous
  for (let i = 1; i <= count; i++) {
    const header = minedHeader(hash, since + i * 600, salt)
    headers.push(header)
    hash = testCrypto.sha256d(header.bytes)
  }
  return headers
}

export const hashOf = (header: Header): Uint8Array => testCrypto.sha256d(header.bytes)

/** A peer that writes down what it is sent. */
export interface ScriptedPeer extends Peer {
  readonly sent: Array<Message>
  gone: { readonly reason: string; readonly discouraged: boolean } | undefined
}

const SERVICES = 0x409n | 1n

/** Its address is in the operator's own network unless `first` says otherwise. */
export const scriptedPeer = (id: number, kind: PeerKind, services = SERVICES, now = 0, first = 10): ScriptedPeer => {
  const hello: PeerVersion = {
    version: 70_016,
    ownVersion: 70_016,
    services,
    userAgent: "/scripted:1/",
    startHeight: 0,
    relay: true,
    timeOffset: 0,
    addressSeen: undefined,
    wtxidRelay: true,
    wantsAddrV2: true,
    knowsUdpAddresses: false,
    packages: 0n,
    isFiltered: false
  }
  const sent: Array<Message> = []
  const endpoint = { address: { network: 1, bytes: Uint8Array.of(first, 0, 0, id) }, port: 8333 }
  const end = (reason: string, discouraged: boolean): void => {
    peer.gone ??= { reason, discouraged }
    peer.isGone = true
  }
  const send = (message: Message): void => void (peer.isGone ? 0 : sent.push(message))
  const peer: ScriptedPeer = {
    id,
    kind,
    inbound: kind === "inbound",
    endpoint,
    local: undefined,
    network: undefined,
    name: `${first}.0.0.${id}:8333`,
    writtenAs: undefined,
    connectedAt: unixMilliseconds(now),
    isTrusted: false,
    permissions: new Set(),
    hello,
    isReady: true,
    isGone: false,
    traffic: noTraffic(),
    transport: { kind: () => "v1", sessionId: () => undefined },
    latency: { last: undefined, least: undefined, waitingSince: undefined },
    blocks: pendingWork(),
    downloads: pendingWork(),
    hasDownloads: false,
    announcements: pendingWork(),
    send,
    sendOwned: send,
    unsent: () => 0,
    hasRoom: () => true,
    disconnect: (reason) => end(disconnectText(reason), false),
    discourage: (what) => end(misbehaviorText(what), true),
    sent,
    gone: undefined
  }
  return peer
}

/** A chain without blocks' contents: a block is its header, and connects whenever its parent is the tip. */
export interface ChainModel {
  readonly chain: P2pChain
  readonly context: P2pContext
  readonly peers: Map<number, Peer>
  /** Milliseconds; moves only when a test moves it. */
  clock: number
  /** Headers whose block the engine calls invalid, by hex of the hash. */
  readonly invalid: Set<string>
  initialBlockDownload: boolean
  /** Why the engine takes nothing in. */
  halted: string | undefined
  /** Blocks that stand in its files are being taken in. */
  loadingBlocks: boolean
  /** It refuses what comes, whatever it says. */
  isRefusing: boolean
  /** Answers to blocks wait for this. */
  holds: Effect.Effect<void>
  readonly logs: Array<
    { readonly level: string; readonly message: string; readonly fields: Readonly<Record<string, unknown>> }
  >
  readonly events: Array<{ readonly type: string; readonly payload: unknown }>
}

export const chainModel = (startSeconds: number, minimumChainWork = 0n): ChainModel => {
  const tree = headerIndex(GENESIS, GENESIS_HASH)
  setStatus(tree, tree.tip, HeaderStatus.STORED | HeaderStatus.CONNECTED | HeaderStatus.LINKED)
  const listeners = new Set<Partial<ChainNotification>>()
  const state = (): ChainState =>
    ({
      height: tree.tip.height,
      headersHeight: tree.bestHeader.height,
      initialBlockDownload: model.initialBlockDownload,
      progress: 0.5,
      cacheBytes: 0,
      inputs: tree.tip.height * 3,
      halted: model.halted,
      loadingBlocks: model.loadingBlocks,
      mockTime: 0
    }) as ChainState
  const notify = (run: (news: Partial<ChainNotification>) => void): void => listeners.forEach(run)

  const connect = (): void => {
    for (;;) {
      let best: HeaderIndexNode | undefined
      for (const node of tree.candidates) if (node.chainWork > (best ?? tree.tip).chainWork) best = node
      if (best === undefined) return
      const from = tree.tip
      const fork = lastCommonAncestor(from, best) as HeaderIndexNode
      const path: Array<HeaderIndexNode> = []
      for (let at = best; at !== fork; at = at.parent!) path.push(at)
      for (const node of path.reverse()) {
        if (model.invalid.has(Buffer.from(node.hash).toString("hex"))) {
          for (const each of [node, best]) setStatus(tree, each, HeaderStatus.INVALID)
          tree.candidates.delete(best)
          notify((news) => news.judged?.(node, { reason: "bad-txns", class: "invalid", rule: undefined }))
          break
        }
        setStatus(tree, node, HeaderStatus.CONNECTED)
        setTip(tree, node)
        notify((news) => news.judged?.(node, undefined))
      }
      notify((news) => news.tip?.(tree.tip, fork, model.initialBlockDownload))
    }
  }

  const chain: P2pChain = {
    tree,
    state,
    acceptHeaders: (bytes) =>
      Effect.sync(() => {
        if (model.isRefusing || model.halted !== undefined) return { accepted: 0, rejection: undefined }
        for (let at = 0; at < bytes.length; at += 80) {
          const header = headerOf(bytes.slice(at, at + 80))
          const hash = hashOf(header)
          if (nodeOf(tree, hash) !== undefined) continue
          const parent = nodeOf(tree, header.previous)
          if (parent === undefined) {
            return {
              accepted: at / 80,
              rejection: { reason: "prev-blk-not-found", class: "missing parent" as const, rule: undefined }
            }
          }
          addHeader(tree, parent, header.bytes, hash)
        }
        return { accepted: bytes.length / 80, rejection: undefined }
      }),
    acceptBlock: (bytes) =>
      Effect.map(model.holds, () => {
        const hash = testCrypto.sha256d(bytes.subarray(0, 80))
        if (model.isRefusing || model.halted !== undefined) {
          return { hash, isNew: false, rejection: undefined, isRefused: true }
        }
        if (bytes.length > 80) {
          return { hash, isNew: false, rejection: undefined }
        }
        const node = nodeOf(tree, hash)
        if (node === undefined || (tree.columns.status[node.index]! & HeaderStatus.STORED) !== 0) {
          return { hash, isNew: false, rejection: undefined }
        }
        setStatus(tree, node, HeaderStatus.STORED)
        linkBlock(tree, node)
        connect()
        return { hash, isNew: true, rejection: undefined }
      }),
    beginCompactBlock: () => Effect.succeed(undefined),
    fillCompactBlock: () => Effect.succeed(undefined),
    dropCompactBlock: () => Effect.void,
    acceptTransaction: () => Effect.succeed(undefined),
    testTransaction: () => Effect.succeed(undefined),
    acceptPackage: () => Effect.succeed(undefined),
    blockBytes: () => Effect.succeed(undefined),
    listen: (news) => {
      listeners.add(news)
      return () => void listeners.delete(news)
    },
    mempool: mempoolReplica(7),
    mempoolTransaction: () => Effect.succeed(undefined),
    mempoolTransactions: () => Effect.succeed([]),
    mempoolAncestors: () => Effect.succeed(undefined),
    inMiningOrder: (wtxids) => Effect.succeed(wtxids),
    mempoolIds: Effect.succeed(new Uint8Array(0)),
    unbroadcast: Effect.succeed([]),
    fetched: () => Effect.void
  }
  const peers = new Map<number, Peer>()
  const events: ChainModel["events"] = []
  const logs: ChainModel["logs"] = []
  const model: ChainModel = {
    chain,
    peers,
    clock: startSeconds * 1_000,
    invalid: new Set(),
    initialBlockDownload: true,
    halted: undefined,
    loadingBlocks: false,
    isRefusing: false,
    holds: Effect.void,
    logs,
    events,
    context: {
      network: { ...REGTEST, minimumChainWork },
      crypto: testCrypto,
      limits: DEFAULT_LIMITS,
      environment: { now: () => unixMilliseconds(model.clock), random: seededRandom(7) },
      chain,
      peers,
      notify: {
        event: (type, payload) => void events.push({ type, payload }),
        log: (level, message, fields = {}) => void logs.push({ level, message, fields })
      },
      services: () => 0x409n
    }
  }
  return model
}
