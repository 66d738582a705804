import { assert, describe, it } from "@effect/vitest"
import type { ChainState } from "../../../src/engine/api/chain-state.ts"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { addHeader, setStatus } from "../../../src/engine/header-index/header-index.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { noteAsked } from "../../../src/p2p/sync/blocks/blocks-in-flight.ts"
import { historicalWanted } from "../../../src/p2p/sync/blocks/historical-blocks.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { plainState } from "./plain-preferences.ts"
import { SETTINGS } from "./sync-session.ts"

const CHAIN = minedChain(20)
const BRANCH = minedChain(20, 1)
const BASE = 15

/** A node whose chain began with a snapshot, and has been validated up to a height behind it. */
const world = (behind: number | undefined, isForked = false) => {
  const model = chainModel(CHAIN.at(-1)!.time)
  const { tree } = model.chain
  const grow = (headers: typeof CHAIN) =>
    headers.reduce((last, header) => addHeader(tree, last, header.bytes, hashOf(header)), tree.nodes[0]!)
  const best = grow(CHAIN)
  const other = grow(BRANCH)
  const at = (height: number) => tree.nodes[height]!
  setTip(tree, at(BASE))
  const snapshot = {
    height: BASE,
    hash: at(BASE).hash,
    background: behind === undefined
      ? undefined
      : { height: behind, hash: (isForked ? other : at(behind)).hash }
  } as ChainState["snapshot"]
  const state = (): ChainState => ({ ...model.chain.state(), snapshot })
  const context = { ...model.context, chain: { ...model.context.chain, state } }
  const sync = syncState(context, SETTINGS, plainState(() => true))
  const wanted = (more: Parameters<typeof madePeerSync>[2], most = 100) =>
    historicalWanted(sync, madePeerSync(sync, "outbound-full-relay", { best, ...more }), most)
      .map(({ height }) => height)
  return { at, other, sync, tree, wanted }
}

describe("blocks below a snapshot that is not confirmed", () => {
  it("are requested up to it, oldest first, unless they are here or in flight", () => {
    const { at, sync, tree, wanted } = world(9)
    assert.deepStrictEqual(wanted({}), [10, 11, 12, 13, 14, 15])
    assert.deepStrictEqual(wanted({}, 2), [10, 11])
    setStatus(tree, at(10), HeaderStatus.STORED)
    noteAsked(sync, madePeerSync(sync, "outbound-full-relay"), at(12), unixMilliseconds(0))
    assert.deepStrictEqual(wanted({}), [11, 13, 14, 15])
  })

  it("are requested from no peer that lacks the chain, keeps only its end, or has no witnesses", () => {
    const { other, wanted } = world(9)
    for (const more of [{ best: undefined }, { best: other }, { isLimited: true }, { servesWitnesses: false }]) {
      assert.deepStrictEqual(wanted(more), [])
    }
  })

  it("are requested from the fork on where the chain behind forked off below it", () => {
    assert.deepStrictEqual(world(9, true).wanted({}, 3), [1, 2, 3])
  })

  it("are not requested when there is no snapshot to be confirmed", () => {
    assert.deepStrictEqual(world(undefined).wanted({}), [])
  })
})
