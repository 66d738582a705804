import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { addHeader, setStatus } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { noteAsked } from "../../../src/p2p/sync/blocks/blocks-in-flight.ts"
import { blocksWanted } from "../../../src/p2p/sync/blocks/find-blocks.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { plainState } from "./plain-preferences.ts"
import { SETTINGS } from "./sync-session.ts"

const CHAIN = minedChain(1_100)
const NOW = unixMilliseconds(0)

/** A node that knows the headers of a chain and has the first blocks of it. */
const world = ({ minimumChainWork = 0n, segwit = 0, tip = 3 } = {}) => {
  const model = chainModel(CHAIN.at(-1)!.time, minimumChainWork)
  const { tree } = model.chain
  let last = tree.tip
  for (const header of CHAIN) last = addHeader(tree, last, header.bytes, hashOf(header))
  const at = (height: number): HeaderIndexNode => tree.nodes[height]!
  for (let height = 1; height <= tip; height++) {
    setStatus(tree, at(height), HeaderStatus.STORED | HeaderStatus.LINKED | HeaderStatus.CONNECTED)
    setTip(tree, at(height))
  }
  const { network } = model.context
  const { parameters } = network
  const sync = syncState(
    {
      ...model.context,
      network: { ...network, parameters: { ...parameters, heights: { ...parameters.heights, segwit } } }
    },
    SETTINGS,
    plainState(() => true)
  )
  const add = (more: Parameters<typeof madePeerSync>[2] = {}) =>
    madePeerSync(sync, "outbound-full-relay", { best: at(20), ...more })
  const heights = (nodes: ReadonlyArray<HeaderIndexNode>) => nodes.map(({ height }) => height)
  return { add, at, heights, model, sync, tree }
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)

describe("the blocks to request from a peer", () => {
  it("are the next ones of its chain, oldest first, as many as are asked for", () => {
    const { add, heights, sync } = world()
    const from = add()
    assert.deepStrictEqual(heights(blocksWanted(sync, from, 4).nodes), [4, 5, 6, 7])
    assert.strictEqual(from.common?.height, 3)
    assert.deepStrictEqual(heights(blocksWanted(sync, from, 100).nodes), range(4, 20))
    for (const most of [0, -1]) assert.deepStrictEqual(blocksWanted(sync, from, most).nodes, [])
    assert.deepStrictEqual(heights(blocksWanted(sync, from, 1).nodes), [4])
  })

  it("are none where its chain has less work than ours, too little for the network, or is not known", () => {
    const { add, at, heights, sync } = world()
    assert.deepStrictEqual(blocksWanted(sync, add({ best: undefined }), 4).nodes, [])
    assert.deepStrictEqual(blocksWanted(sync, add({ best: at(2) }), 4).nodes, [])
    assert.deepStrictEqual(blocksWanted(sync, add({ best: at(3) }), 4).nodes, [])
    assert.deepStrictEqual(heights(blocksWanted(sync, add({ best: at(4) }), 4).nodes), [4])
    const { chainWork } = at(20)
    const enough = world({ minimumChainWork: chainWork })
    assert.strictEqual(blocksWanted(enough.sync, enough.add(), 4).nodes.length, 4)
    const little = world({ minimumChainWork: chainWork + 1n })
    assert.strictEqual(blocksWanted(little.sync, little.add(), 4).nodes.length, 0)
  })

  it("are none of what it announced that is not known, until its header is here", () => {
    const { add, at, heights, sync } = world()
    const from = add({ best: undefined, unknown: hashOf(CHAIN[4]!) })
    assert.deepStrictEqual(heights(blocksWanted(sync, from, 4).nodes), [4, 5])
    assert.strictEqual(from.best, at(5))
  })

  it("leave out what is here, being accepted, or awaited", () => {
    const { add, at, heights, sync, tree } = world()
    const from = add()
    setStatus(tree, at(5), HeaderStatus.STORED)
    sync.arriving.known.add(at(6).index)
    noteAsked(sync, add(), at(7), NOW)
    assert.deepStrictEqual(heights(blocksWanted(sync, from, 3).nodes), [4, 8, 9])
    // What is here with all before it is shared.
    setStatus(tree, at(4), HeaderStatus.STORED | HeaderStatus.LINKED)
    setStatus(tree, at(5), HeaderStatus.LINKED)
    assert.deepStrictEqual(heights(blocksWanted(sync, from, 3).nodes), [8, 9, 10])
    assert.strictEqual(from.common?.height, 5)
  })

  it("end before an invalid one, and before witnesses where it serves none", () => {
    const { add, at, heights, sync, tree } = world({ segwit: 8 })
    assert.deepStrictEqual(heights(blocksWanted(sync, add({ servesWitnesses: false }), 99).nodes), range(4, 7))
    assert.deepStrictEqual(heights(blocksWanted(sync, add(), 99).nodes), range(4, 20))
    setStatus(tree, at(10), HeaderStatus.INVALID)
    assert.deepStrictEqual(heights(blocksWanted(sync, add(), 99).nodes), range(4, 9))
  })

  it("of a peer that keeps 288 are its last 286", () => {
    const { add, at, heights, sync } = world()
    const from = add({ best: at(500), isLimited: true })
    assert.deepStrictEqual(heights(blocksWanted(sync, from, 3).nodes), [215, 216, 217])
    assert.strictEqual(blocksWanted(sync, from, 9_999).nodes.length, 286)
  })

  it("lie within 1,024 of the last one in common", () => {
    const { add, at, heights, sync } = world()
    const from = add({ best: at(1_100) })
    const { nodes, staller } = blocksWanted(sync, from, 9_999)
    assert.deepStrictEqual([heights(nodes).at(0), heights(nodes).at(-1), staller], [4, 1_027, undefined])
  })

  it("of another branch begin where it leaves ours", () => {
    const { add, at, sync, tree } = world({ tip: 10 })
    let side = at(8)
    for (const header of minedChain(4, 9, at(8).hash, at(8).header.time)) {
      side = addHeader(tree, side, header.bytes, hashOf(header))
    }
    const from = add({ best: side, common: at(10) })
    assert.strictEqual(blocksWanted(sync, from, 99).nodes.length, 4)
    assert.strictEqual(from.common?.height, 8)
    // What it was found to share before stays, as long as it is on its chain and no more is.
    const shared = side.parent!.parent!
    const later = add({ best: side, common: shared })
    assert.deepStrictEqual(blocksWanted(sync, later, 99).nodes, [side.parent!, side])
    assert.strictEqual(later.common, shared)
    const older = add({ best: side, common: at(2) })
    blocksWanted(sync, older, 1)
    assert.strictEqual(older.common?.height, 8)
  })
})

describe("a full window", () => {
  it("names the peer that owes its first block, and what that peer owes", () => {
    const { add, at, heights, sync } = world()
    const [staller, second] = [add({ best: at(1_100) }), add({ best: at(1_100) })]
    for (const height of [4, 6]) noteAsked(sync, staller, at(height), NOW)
    noteAsked(sync, second, at(5), NOW)
    for (let height = 7; height <= 1_027; height++) sync.arriving.known.add(at(height).index)
    const idle = add({ best: at(1_100) })
    const wanted = blocksWanted(sync, idle, 16)
    assert.deepStrictEqual([wanted.nodes, wanted.staller, heights(wanted.owed)], [[], staller, [4, 6]])
    assert.deepStrictEqual(heights(blocksWanted(sync, idle, 1).owed), [4])
    // No peer holds itself up.
    assert.deepStrictEqual(blocksWanted(sync, staller, 16), { nodes: [], staller: undefined, owed: [] })
    // The first one has come: the window moves on once the engine has it, and no peer stalls it meanwhile.
    sync.arriving.known.add(at(4).index)
    assert.isUndefined(blocksWanted(sync, idle, 16).staller)
    sync.arriving.known.delete(at(4).index)
    // One more is missing in the window: it is requested, and nothing is held up.
    sync.arriving.known.delete(at(1_027).index)
    assert.deepStrictEqual(blocksWanted(sync, idle, 16), { nodes: [at(1_027)], staller: undefined, owed: [] })
  })

  it("is none where the chain ends within it; what is owed is reported", () => {
    const { add, at, heights, sync } = world()
    const debtor = add()
    for (const height of range(4, 20)) noteAsked(sync, debtor, at(height), NOW)
    const wanted = blocksWanted(sync, add(), 16)
    assert.deepStrictEqual([wanted.staller, heights(wanted.owed)], [undefined, range(4, 19)])
    const limited = add({ best: at(300), isLimited: true })
    for (const height of range(21, 300)) noteAsked(sync, debtor, at(height), NOW)
    assert.strictEqual(heights(blocksWanted(sync, limited, 16).owed)[0], 15)
  })
})

it.effect("nothing is requested of a peer at our own tip", () =>
  Effect.sync(() => {
    const { add, at, sync } = world({ tip: 20 })
    assert.deepStrictEqual(blocksWanted(sync, add({ best: at(20) }), 4), { nodes: [], staller: undefined, owed: [] })
  }))
