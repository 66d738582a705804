import { assert } from "@effect/vitest"
import type { RunningEngine } from "../../../src/engine/host/engine.ts"
import type { P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"

/** Holds that the network layer's copy of the header tree is the engine's. */
export const assertSameTree = ({ chain: { tree } }: RunningEngine, { tree: copy }: P2pChain, what = ""): void => {
  const count = tree.nodes.length
  assert.strictEqual(copy.nodes.length, count, what)
  assert.deepStrictEqual(copy.columns.status.slice(0, count), tree.columns.status.slice(0, count), what)
  assert.deepStrictEqual(
    copy.nodes.map(({ hash, height }) => [height, hash]),
    tree.nodes.map(({ hash, height }) => [height, hash]),
    what
  )
  assert.strictEqual(copy.tip.index, tree.tip.index, what)
  assert.strictEqual(copy.bestHeader.index, tree.bestHeader.index, what)
  const { height } = tree.tip
  assert.deepStrictEqual(copy.active.slice(0, height + 1), tree.active.slice(0, height + 1), what)
}
