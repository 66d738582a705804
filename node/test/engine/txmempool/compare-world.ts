import assert from "node:assert/strict"
import { hexOf } from "../../../src/hex.ts"
import { ancestorsOf, childrenOf, clustersOf, descendantsOf, parentsOf, recount } from "./naive-mempool.ts"
import { handleOf, type World } from "./world.ts"

/** The mempool is what the model recomputes. */
export const compareWorld = (world: World): void => {
  const { limits, mempool, naive } = world
  const named = (txs: ReadonlyArray<number>) => txs.map((tx) => hexOf(mempool.entry(tx).txid))
  const order = [...mempool.graph.miningOrder()]
  assert.deepEqual(named(order).toSorted(), [...naive.entries.keys()].toSorted())
  for (const [name, entry] of naive.entries) {
    const tx = handleOf(world, name)
    const { bytes, modifiedFee, sequence, wtxid } = mempool.entry(tx)
    assert.equal(hexOf(bytes), hexOf(entry.tx.bytes))
    assert.deepEqual([modifiedFee, sequence], [entry.modified, entry.sequence])
    assert.equal(mempool.ofWtxid(wtxid), tx)
    for (const { prevout } of entry.tx.inputs) assert.equal(mempool.spenderOf(prevout), tx)
    assert.deepEqual(named(mempool.parents(tx)), parentsOf(naive, name))
    assert.deepEqual(named(mempool.children(tx)), childrenOf(naive, name))
    const sums = (names: ReadonlyArray<string>) => ({
      count: names.length,
      virtualSize: names.reduce((sum, each) => sum + naive.entries.get(each)!.virtualSize, 0),
      fees: names.reduce((sum, each) => sum + naive.entries.get(each)!.modified, 0n)
    })
    assert.deepEqual(mempool.ancestorSums(tx), sums(ancestorsOf(naive, [name])))
    assert.deepEqual(mempool.descendantSums(tx), sums(descendantsOf(naive, [name])))
    const place = order.indexOf(tx)
    for (const parent of mempool.parents(tx)) assert.ok(order.indexOf(parent) < place)
  }
  assert.deepEqual(named(mempool.unbroadcast()), [...naive.unbroadcast].toSorted())
  assert.deepEqual(
    mempool.prioritised().map(({ delta, modifiedFee, txid }) => [hexOf(txid), delta, modifiedFee]),
    [...naive.deltas].toSorted(([a], [b]) => a < b ? -1 : 1).map((
      [name, delta]
    ) => [name, delta, naive.entries.get(name)?.modified])
  )
  assert.deepEqual([mempool.sequence(), mempool.updates()], [naive.sequence, naive.updates])
  const clusters = clustersOf(naive)
  assert.ok(clusters.every(({ length }) => length <= limits.transactions))
  assert.equal(mempool.graph.clusterCount(order), clusters.length)
  const diagram = mempool.feerateDiagram()
  const entries = [...naive.entries.values()]
  assert.equal(diagram.at(-1)!.fee, entries.reduce((sum, { modified }) => sum + modified, 0n))
  assert.deepEqual(mempool.totals(), {
    count: entries.length,
    virtualSize: entries.reduce((sum, { virtualSize }) => sum + virtualSize, 0),
    fees: entries.reduce((sum, { fee }) => sum + fee, 0n),
    usage: recount(naive, diagram.length - 1)
  })
}
