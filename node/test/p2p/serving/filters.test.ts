import { assert, describe, it } from "@effect/vitest"
import { basicFilter, filterHash, filterHeader, NO_FILTER_HEADER } from "@lockstep/protocol/filters/basic-filter.ts"
import type { Message, MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { disconnectText } from "../../../src/runtime/disconnect-reason.ts"
import type { BlockFilter } from "../../../src/engine/api/index-calls.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { displayHash } from "../../../src/hex.ts"
import type { LivePeer } from "../../../src/p2p/peer/live-peer.ts"
import type { Serving } from "../../../src/p2p/serving/serving.ts"
import { PEER_LIMITS } from "../../../src/p2p/peer/peer-limits.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { connectTo, type ScriptedPeer, settle, shakeHands } from "../peer/scripted-peer.ts"
import { hollowBlock, stillChain } from "../peer/still-chain.ts"
import { testHost } from "../peer/test-host.ts"
import { servingOf } from "./served.ts"

const { COMPACT_FILTERS, NETWORK, WITNESS } = ServiceFlag

interface Options {
  readonly blocks: number
  readonly services?: bigint
  /** The height that the index has come to. */
  readonly indexed?: number
}

/** What a filter counts as, unsent. */
const SENT = 100_000

const filtersOf = ({ received }: ScriptedPeer): ReadonlyArray<MessageOf<"cfilter">> =>
  received.filter(({ command }) => command === "cfilter")
    .map(({ payload }) => Result.getOrThrow(decodeMessage("cfilter", payload)).message)

const pathTo = (node: HeaderIndexNode): ReadonlyArray<HeaderIndexNode> => {
  const path: Array<HeaderIndexNode> = []
  for (let at: HeaderIndexNode | undefined = node; at !== undefined; at = at.parent) path.push(at)
  return path.reverse()
}

/** A node whose blocks have filters of made scripts, and a peer that is ready. */
const filtered = Effect.fnUntraced(function*(options: Options) {
  const chain = stillChain()
  for (let i = 0; i < options.blocks; i++) chain.extend(hollowBlock(chain.tree.tip))
  const known = new Map<HeaderIndexNode, BlockFilter>()
  const reads = { headers: 0, most: 0, headerCalls: 0 }
  const filterOf = (node: HeaderIndexNode): BlockFilter => {
    const found = known.get(node)
    if (found !== undefined) return found
    const filter = basicFilter(node.hash, [Uint8Array.of(node.height >> 8, node.height)])
    const hash = filterHash(filter, testCrypto)
    const previous = node.parent === undefined ? NO_FILTER_HEADER : filterOf(node.parent).header
    const made = { block: node.hash, filter, filterHash: hash, header: filterHeader(hash, previous, testCrypto) }
    known.set(node, made)
    return made
  }
  const at = (stop: Uint8Array, heights: ReadonlyArray<number>): ReadonlyArray<BlockFilter> | undefined => {
    const path = pathTo(chain.tree.nodes.find(({ hash }) => Buffer.from(hash).equals(stop))!)
    return heights.some((height) => height > (options.indexed ?? Infinity))
      ? undefined
      : heights.map((height) => filterOf(path[height]!))
  }
  let serving: Serving | undefined
  const host = yield* testHost({
    chain: {
      ...chain,
      // As the engine: fewer than were asked for.
      blockFilters: ({ from, most, stop }) => {
        reads.most = Math.max(reads.most, most)
        const height = pathTo(chain.tree.nodes.find(({ hash }) => Buffer.from(hash).equals(stop))!).length - 1
        return Effect.succeed(
          at(stop, Array.from({ length: Math.min(most, 7, height - from + 1) }, (_, i) => from + i))
        )
      },
      filterHeaders: ({ heights, stop }) => {
        reads.headers += heights.length
        reads.headerCalls++
        return Effect.succeed(at(stop, heights))
      }
    },
    start: chain.tree.tip.header.time * 1_000,
    services: () => options.services ?? (NETWORK | WITNESS | COMPACT_FILTERS),
    parts: (context) =>
      Effect.map(servingOf(context), (part) => {
        serving = part
        return [part]
      })
  })
  const connect = Effect.gen(function*() {
    const peer = connectTo(host.host, host.magic)
    yield* shakeHands(peer)
    return peer
  })
  /** Why the newest peer is disconnected for a request. */
  const refused = Effect.fnUntraced(function*(request: Message) {
    const peer = yield* connect
    const live = [...host.peers.values()].at(-1) as LivePeer
    peer.say(request)
    yield* settle
    assert.isTrue(peer.is.closed)
    return live.reason && disconnectText(live.reason)
  })
  return {
    ...host,
    chain,
    filterOf,
    reads,
    connect,
    refused,
    serving: serving!,
    nodeAt: (height: number) => chain.tree.nodes[height]!
  }
})

const getcfilters = (startHeight: number, { hash }: Pick<HeaderIndexNode, "hash">, filterType = 0) =>
  ({ command: "getcfilters", filterType, startHeight, stop: hash }) as const
const getcfheaders = (startHeight: number, { hash }: Pick<HeaderIndexNode, "hash">, filterType = 0) =>
  ({ command: "getcfheaders", filterType, startHeight, stop: hash }) as const
const getcfcheckpt = ({ hash }: Pick<HeaderIndexNode, "hash">, filterType = 0) =>
  ({ command: "getcfcheckpt", filterType, stop: hash }) as const

describe("block filters for peers", () => {
  it.effect("filters: one message for each block, ascending, all that were requested", () =>
    Effect.gen(function*() {
      const { connect, filterOf, nodeAt, reads } = yield* filtered({ blocks: 1_010 })
      const peer = yield* connect
      peer.say(getcfilters(5, nodeAt(1_004)))
      yield* settle
      const found = filtersOf(peer)
      assert.strictEqual(found.length, 1_000)
      for (const [i, { block, filter, filterType }] of found.entries()) {
        assert.deepStrictEqual({ block, filter, filterType }, {
          block: nodeAt(5 + i).hash,
          filter: filterOf(nodeAt(5 + i)).filter,
          filterType: 0
        })
      }
      assert.isAtMost(reads.most, 100)
    }))

  it.effect("filters wait while the peer does not read them", () =>
    Effect.gen(function*() {
      const { connect, nodeAt } = yield* filtered({ blocks: 400 })
      const peer = yield* connect
      peer.is.perSend = SENT
      peer.say(getcfilters(0, nodeAt(399)))
      yield* settle
      const before = filtersOf(peer).length
      assert.isAtLeast(before * SENT, PEER_LIMITS.unsent.most)
      assert.isAtMost(before * SENT, PEER_LIMITS.unsent.most + SENT)
      peer.is.perSend = 0
      peer.drain()
      yield* settle
      assert.strictEqual(filtersOf(peer).length, 400)
    }))

  it.effect("filter headers: the hashes of 2,000 filters, which lead from the header before them to the last one", () =>
    Effect.gen(function*() {
      const { connect, filterOf, nodeAt } = yield* filtered({ blocks: 2_100 })
      const peer = yield* connect
      for (const [start, stop] of [[0, 1_999], [1, 2_000], [2_100, 2_100]] as const) {
        peer.say(getcfheaders(start, nodeAt(stop)))
        yield* settle
        const { filterHashes, previous } = peer.last("cfheaders")
        assert.strictEqual(filterHashes.length, stop - start + 1)
        assert.deepStrictEqual(
          filterHashes.reduce((header, hash) => filterHeader(hash, header, testCrypto), previous),
          filterOf(nodeAt(stop)).header
        )
        if (start === 0) assert.deepStrictEqual(previous, NO_FILTER_HEADER)
      }
    }))

  it.effect("checkpoints: the header of every thousandth block, read from the index once", () =>
    Effect.gen(function*() {
      const { connect, filterOf, nodeAt, reads } = yield* filtered({ blocks: 3_500 })
      const peer = yield* connect
      for (const [stop, heights] of [[3_500, [1_000, 2_000, 3_000]], [2_999, [1_000, 2_000]], [999, []]] as const) {
        peer.say(getcfcheckpt(nodeAt(stop)))
        yield* settle
        assert.deepStrictEqual(
          peer.last("cfcheckpt").filterHeaders,
          heights.map((height) => filterOf(nodeAt(height)).header)
        )
      }
      assert.deepStrictEqual([reads.headers, reads.headerCalls], [3, 1])
    }))

  it.effect("a stale branch is served its own", () =>
    Effect.gen(function*() {
      const { chain, connect, filterOf, nodeAt } = yield* filtered({ blocks: 1_010 })
      const stale = chain.extend(hollowBlock(nodeAt(999), 7), nodeAt(999))
      const peer = yield* connect
      for (const request of [getcfilters(1_000, stale), getcfheaders(999, stale), getcfcheckpt(stale)]) {
        peer.say(request)
        yield* settle
      }
      assert.deepStrictEqual(peer.last("cfilter").filter, filterOf(stale).filter)
      assert.deepStrictEqual(
        peer.last("cfheaders").filterHashes,
        [filterOf(nodeAt(999)).filterHash, filterOf(stale).filterHash]
      )
      assert.deepStrictEqual(peer.last("cfcheckpt").filterHeaders, [filterOf(stale).header])
    }))

  it.effect("what the index has not come to is not answered, and costs nothing", () =>
    Effect.gen(function*() {
      const { connect, nodeAt } = yield* filtered({ blocks: 1_010, indexed: 999 })
      const peer = yield* connect
      for (
        const request of [
          getcfilters(1_001, nodeAt(1_005)),
          getcfheaders(1, nodeAt(1_005)),
          getcfcheckpt(nodeAt(1_005))
        ]
      ) {
        peer.say(request)
        yield* settle
      }
      assert.deepStrictEqual(peer.commands().filter((command) => command.startsWith("cf")), [])
      assert.isFalse(peer.is.closed)
    }))

  it.effect("each answer counts once, for its peer and in all; what is not answered does not count", () =>
    Effect.gen(function*() {
      const { connect, nodeAt, peers, serving } = yield* filtered({ blocks: 1_010, indexed: 1_005 })
      const peer = yield* connect
      const live = [...peers.values()].at(-1)!
      const none = { cfilter: 0, cfheaders: 0, cfcheckpt: 0, merkleblock: 0 }
      for (
        const [request, counted] of [
          [getcfcheckpt(nodeAt(1_001)), { cfcheckpt: 1 }],
          [getcfheaders(1, nodeAt(9)), { cfcheckpt: 1, cfheaders: 1 }],
          [getcfilters(1, nodeAt(9)), { cfcheckpt: 1, cfheaders: 1, cfilter: 9 }],
          [getcfheaders(1, nodeAt(1_006)), { cfcheckpt: 1, cfheaders: 1, cfilter: 9 }],
          [getcfcheckpt(nodeAt(1)), { cfcheckpt: 2, cfheaders: 1, cfilter: 9 }]
        ] as const
      ) {
        peer.say(request)
        yield* settle
        assert.deepStrictEqual(serving.filters.of(live), { ...none, ...counted })
        assert.deepStrictEqual(serving.filters.all(), { ...none, ...counted })
      }
    }))

  it.effect("requests beyond the limits end the connection, without discouragement, in Bitcoin Core's words", () =>
    Effect.gen(function*() {
      const { discouraged, nodeAt, refused } = yield* filtered({ blocks: 2_100 })
      const unknown = { hash: new Uint8Array(32).fill(3) }
      const cases = [
        [getcfilters(0, nodeAt(1_000)), "peer requested too many cfilters/cfheaders: 1001 / 1000"],
        [getcfheaders(0, nodeAt(2_000)), "peer requested too many cfilters/cfheaders: 2001 / 2000"],
        [getcfcheckpt(nodeAt(1), 255), "peer requested unsupported block filter type: 255"],
        [getcfilters(0, nodeAt(1), 1), "peer requested unsupported block filter type: 1"],
        [getcfcheckpt(unknown), `peer requested invalid block hash: ${displayHash(unknown.hash)}`],
        [
          getcfheaders(1_000, nodeAt(999)),
          "peer sent invalid getcfilters/getcfheaders with start height 1000 and stop height 999"
        ],
        [
          getcfilters(4_294_967_295, nodeAt(999)),
          "peer sent invalid getcfilters/getcfheaders with start height 4294967295 and stop height 999"
        ]
      ] as const
      for (const [request, reason] of cases) {
        assert.strictEqual(yield* refused(request), reason)
      }
      assert.deepStrictEqual(discouraged, [])
    }))

  it.effect("a node that does not offer them disconnects a peer that requests some", () =>
    Effect.gen(function*() {
      const { nodeAt, refused } = yield* filtered({ blocks: 10, services: NETWORK | WITNESS })
      for (const request of [getcfilters(1, nodeAt(2)), getcfheaders(1, nodeAt(2)), getcfcheckpt(nodeAt(2))]) {
        assert.strictEqual(yield* refused(request), "peer requested unsupported block filter type: 0")
      }
    }))
})
