import { assert, describe, it } from "vitest"
import { hexOf } from "../../../src/hex.ts"
import { idOf, loose, outputOf } from "../mempool/loose-transactions.ts"
import { txMempool } from "../../../src/engine/txmempool/txmempool.ts"
import {
  add,
  coin,
  commit,
  departures,
  emptyMempool,
  entryFor,
  idsOf,
  left,
  nameOf,
  NOW,
  OPTIONS,
  spend
} from "./mempools.ts"

const parent = spend([coin(1)])
const child = spend([outputOf(parent)])
const grandchild = spend([outputOf(child), coin(2)])

describe("the state of the mempool", () => {
  it("finds an entry by its ids and by what it spends, with all that is known of it", () => {
    const mempool = emptyMempool()
    const locks = { height: 7, time: 1_600_000_000, block: new Uint8Array(32).fill(9) }
    const given = entryFor(parent, 500, { sigOpCost: 4, spendsCoinbase: true, locks, adjustedWeight: 1_001 })
    const tx = commit(mempool, { entries: [given] }).added[0]!
    assert.strictEqual(mempool.ofTxid(given.txid), tx)
    assert.strictEqual(mempool.ofWtxid(given.wtxid), tx)
    assert.strictEqual(mempool.spenderOf(coin(1)), tx)
    assert.isUndefined(mempool.spenderOf({ ...coin(1), vout: 1 }))
    assert.isUndefined(mempool.ofTxid(idOf(child)))
    const { adjustedWeight: _adjusted, tx: { bytes }, ...facts } = given
    assert.deepEqual({ ...mempool.entry(tx), bytes: hexOf(mempool.entry(tx).bytes) }, {
      ...facts,
      bytes: hexOf(bytes),
      modifiedFee: 500n,
      virtualSize: 251,
      sequence: 1
    })
    assert.deepStrictEqual(mempool.transaction(tx).outputs.length, 2)
    assert.deepEqual(mempool.facts(tx), { lockTime: 0, locks, spendsCoinbase: true })
    for (let at = 0; at < 32; at++) {
      const [txid, wtxid] = [given.txid, given.wtxid].map((id) =>
        Uint8Array.from(id, (byte, i) => i === at ? ~byte : byte)
      )
      assert.deepStrictEqual([mempool.ofTxid(txid!), mempool.ofWtxid(wtxid!)], [undefined, undefined])
    }
    const locked = commit(mempool, { entries: [entryFor(spend([coin(6)], 0x01020304), 100)] }).added[0]!
    assert.deepInclude(mempool.facts(locked), { lockTime: 0x01020304, spendsCoinbase: false })
    const later = { height: 9, time: 1_600_000_009, block: new Uint8Array(32).fill(8) }
    mempool.setLocks(tx, later)
    assert.deepEqual(mempool.entry(tx).locks, later)
  })

  it("takes a package whose members spend each other, and knows relatives and their sums", () => {
    const mempool = emptyMempool()
    const entries = [entryFor(parent, 100), entryFor(child, 200), entryFor(grandchild, 400)]
    mempool.prioritise(idOf(child), 1_000n)
    const staged = mempool.stage({ entries, conflicts: [] })
    assert.deepStrictEqual(staged.modifiedFees, [100n, 1_200n, 400n])
    const [a, b, c] = staged.commit()!.added
    assert.deepStrictEqual([...mempool.graph.miningOrder()], [a!, b!, c!])
    assert.deepStrictEqual([mempool.parents(c!), mempool.children(a!), mempool.children(c!)], [[b!], [b!], []])
    const size = (...ids: ReadonlyArray<number>) => ids.reduce((sum, tx) => sum + mempool.entry(tx).virtualSize, 0)
    assert.deepStrictEqual(mempool.ancestorSums(b!), { count: 2, virtualSize: size(a!, b!), fees: 1_300n })
    assert.deepStrictEqual(mempool.descendantSums(b!), { count: 2, virtualSize: size(b!, c!), fees: 1_600n })
    const { fee } = mempool.chunkFeerate(a!)
    assert.strictEqual(fee, 1_300)
    const diagram = mempool.feerateDiagram()
    assert.deepStrictEqual(diagram[0], { weight: 0, fee: 0n })
    assert.deepStrictEqual(diagram.at(-1), {
      weight: entries.reduce((sum, { weight }) => sum + weight, 0),
      fee: 1_700n
    })
  })

  it("stages a replacement without a change, and commits it with descendants gone first", () => {
    const mempool = emptyMempool()
    const [a] = [add(mempool, parent, 100), add(mempool, child, 100)]
    mempool.takeSequence()
    const better = spend([coin(1), coin(3)])
    const staged = mempool.stage({ entries: [entryFor(better, 1_000)], conflicts: [a!] })
    assert.isTrue(staged.fits())
    assert.lengthOf(staged.removals, 2)
    assert.strictEqual(staged.diagrams()!.after[0]!.fee, 1_000)
    assert.strictEqual(mempool.totals().count, 2)
    const { added, removed } = staged.commit()!
    assert.deepStrictEqual(departures(removed), left("replaced", parent, child))
    assert.deepStrictEqual(removed.map(({ sequence }) => sequence), [2, 3])
    assert.strictEqual(mempool.entry(added[0]!).sequence, 2)
    assert.strictEqual(mempool.takeSequence(), 4)
    assert.strictEqual(mempool.totals().count, 1)
    assert.strictEqual(mempool.updates(), 5)
    mempool.tipChanged()
    assert.strictEqual(mempool.updates(), 6)
    assert.strictEqual(mempool.spenderOf(coin(1)), added[0])
  })

  it("does nothing when a cluster would be too large", () => {
    const mempool = emptyMempool({ limits: { transactions: 1, size: 404_000 } })
    add(mempool, parent, 100)
    const staged = mempool.stage({ entries: [entryFor(child, 100)], conflicts: [] })
    assert.isFalse(staged.fits())
    assert.isUndefined(staged.diagrams())
    assert.isUndefined(staged.commit())
    assert.strictEqual(mempool.totals().count, 1)
    assert.isUndefined(mempool.ofTxid(idOf(child)))
  })

  it("lets a block take what it confirms and what conflicts with it, in the order of the block", () => {
    const mempool = emptyMempool()
    const conflict = spend([coin(5)])
    const descendant = spend([outputOf(conflict)])
    for (const tx of [parent, child, conflict, descendant]) add(mempool, tx, 100)
    mempool.prioritise(idOf(conflict), 5n)
    mempool.prioritise(idOf(descendant), 6n)
    mempool.prioritise(idOf(parent), 7n)
    const foreign = spend([coin(5)], 1)
    const removed = mempool.blockConnected([foreign, parent], idsOf([foreign, parent]), NOW)
    assert.deepStrictEqual(departures(removed), [...left("conflict", conflict, descendant), ...left("block", parent)])
    assert.deepStrictEqual(removed.map(({ sequence }) => sequence), [1, 2, 3])
    assert.strictEqual(mempool.totals().count, 1)
    assert.deepStrictEqual(mempool.parents(mempool.ofTxid(idOf(child))!), [])
    assert.deepStrictEqual(mempool.prioritised().map(({ txid }) => hexOf(txid)), [nameOf(descendant)])
  })

  it("connects what came back with its children, and cuts what exceeds the limits then", () => {
    const mempool = emptyMempool({ limits: { transactions: 2, size: 404_000 } })
    const other = spend([outputOf(parent, 1)])
    add(mempool, child, 900)
    add(mempool, other, 100)
    const { added } = commit(mempool, { entries: [entryFor(parent, 500)], isReturning: true })
    assert.strictEqual(mempool.entry(added[0]!).sequence, 0)
    assert.deepStrictEqual(mempool.graph.ancestors([mempool.ofTxid(idOf(child))!]), [mempool.ofTxid(idOf(child))!])
    assert.deepStrictEqual(departures(mempool.connectReturned(added)), left("sizelimit", other))
    assert.strictEqual(mempool.descendantSums(added[0]!).count, 2)
    assert.deepStrictEqual(mempool.connectReturned(added), [])
  })

  it("drops with descendants what a reorganization has made invalid", () => {
    const mempool = emptyMempool()
    for (const tx of [parent, child, grandchild]) add(mempool, tx, 100)
    const bad = mempool.ofTxid(idOf(child))
    assert.deepStrictEqual(departures(mempool.filter((tx) => tx === bad)), left("reorg", child, grandchild))
    const confirmed = spend([coin(9)])
    const spender = spend([outputOf(confirmed), outputOf(confirmed, 1)])
    add(mempool, spender, 100)
    assert.deepStrictEqual(
      departures(mempool.removeRecursive(confirmed, idOf(confirmed), "reorg")),
      left("reorg", spender)
    )
    assert.deepStrictEqual(departures(mempool.removeRecursive(parent, idOf(parent), "reorg")), left("reorg", parent))
    assert.strictEqual(mempool.totals().count, 0)
    const first = spend([outputOf(confirmed)])
    const second = spend([outputOf(confirmed, 1), outputOf(first)])
    for (const tx of [first, second]) add(mempool, tx, 100)
    assert.deepStrictEqual(
      departures(mempool.removeRecursive(confirmed, idOf(confirmed), "reorg")),
      left("reorg", first, second),
      "each leaves once"
    )
  })

  it("expires what came before the cutoff, with descendants", () => {
    const mempool = emptyMempool()
    add(mempool, parent, 100, { time: NOW - 100 })
    add(mempool, child, 100, { time: NOW })
    const other = spend([coin(4)])
    add(mempool, other, 100, { time: NOW - 50 })
    assert.deepStrictEqual(mempool.expire(NOW - 100), [])
    assert.deepStrictEqual(departures(mempool.expire(NOW - 99)), left("expiry", parent, child))
    assert.deepStrictEqual(departures(mempool.expire(NOW - 49)), left("expiry", other))
  })

  it("keeps as many entries as it may have, and no more", () => {
    const mempool = txMempool({ ...OPTIONS, maxCount: 2 })
    const [worst, ...others] = [1, 2, 3].map((number) => spend([coin(number)]))
    for (const [i, tx] of others.entries()) add(mempool, tx, 1_000 * (i + 1))
    assert.deepStrictEqual(mempool.trim().removed, [])
    add(mempool, worst!, 100)
    assert.deepStrictEqual(departures(mempool.trim().removed), left("sizelimit", worst!))
  })

  it("has nothing to evict when it is empty, whatever prioritised transactions take", () => {
    const mempool = emptyMempool({ maxBytes: 0 })
    mempool.prioritise(idOf(parent), 5n)
    assert.isAbove(mempool.totals().usage, 0)
    assert.deepStrictEqual(mempool.trim().removed, [])
  })

  it("forgets what an operator added to a fee once a block has the transaction, also while it is empty", () => {
    const mempool = emptyMempool()
    for (const tx of [parent, child]) mempool.prioritise(idOf(tx), 5n)
    assert.deepStrictEqual(mempool.blockConnected([parent], idsOf([parent]), NOW), [])
    assert.deepStrictEqual(mempool.prioritised().map(({ txid }) => hexOf(txid)), [nameOf(child)])
    assert.deepStrictEqual(mempool.blockConnected([child], idsOf([child]), NOW), [])
    assert.deepStrictEqual(mempool.prioritised(), [])
  })

  it("evicts the worst chunks until there is room, and asks for more than they paid", () => {
    const probe = emptyMempool()
    const cheap = spend([coin(7)])
    const rich = spend([coin(8)])
    add(probe, rich, 5_000)
    probe.graph.miningOrder()
    const mempool = emptyMempool({ maxBytes: probe.totals().usage + 100 })
    add(mempool, rich, 5_000)
    add(mempool, cheap, 50)
    add(mempool, parent, 10)
    add(mempool, child, 300)
    assert.deepStrictEqual(
      departures(mempool.trim().removed).slice().sort(),
      left("sizelimit", cheap, parent, child).slice().sort()
    )
    const sizeOf = (...txs: ReadonlyArray<typeof cheap>) =>
      Math.ceil(txs.reduce((sum, tx) => sum + entryFor(tx, 0).weight, 0) / 4)
    const candidates = [Math.floor(50_000 / sizeOf(cheap)), Math.floor(310_000 / sizeOf(parent, child))]
    assert.strictEqual(mempool.minimumFee(NOW), Math.max(...candidates) + 100)
    assert.deepStrictEqual(mempool.trim().removed, [])
    mempool.blockConnected([], new Uint8Array(), NOW)
    assert.isBelow(mempool.minimumFee(NOW + 43_200), Math.max(...candidates) + 100)
  })

  it("adds to fees, for entries and for transactions that come later, and forgets sums of zero", () => {
    const mempool = emptyMempool()
    mempool.prioritise(idOf(parent), 300n)
    mempool.prioritise(idOf(child), 2n ** 63n - 1n)
    mempool.prioritise(idOf(child), 10n)
    const tx = add(mempool, parent, 100)
    assert.strictEqual(mempool.entry(tx).modifiedFee, 400n)
    assert.strictEqual(mempool.graph.fee(tx), 400)
    const records = mempool.prioritised().map(({ delta, modifiedFee, txid }) => [hexOf(txid), delta, modifiedFee])
    const expected = [[nameOf(parent), 300n, 400n], [nameOf(child), 2n ** 63n - 1n, undefined]] as const
    assert.deepStrictEqual(records, expected.toSorted(([a], [b]) => a < b ? -1 : 1).map((row) => [...row]))
    const updates = mempool.updates()
    mempool.prioritise(idOf(parent), -300n)
    assert.strictEqual(mempool.updates(), updates + 1)
    assert.strictEqual(mempool.graph.fee(tx), 100)
    assert.lengthOf(mempool.prioritised(), 1)
  })

  it("moves the bytes of entries whose neighbours have left, and finds them again", () => {
    const mempool = emptyMempool()
    const large = Array.from(
      { length: 100 },
      (_, number) => loose({ inputs: [coin(number)], values: [1n], outputScript: new Uint8Array(90_000).fill(number) })
    )
    const handles = large.map((tx) => add(mempool, tx, 1_000))
    const kept = handles.filter((_, number) => number % 25 === 3)
    mempool.filter((tx) => !kept.includes(tx))
    for (const tx of kept) {
      assert.strictEqual(hexOf(mempool.entry(tx).bytes), hexOf(large[handles.indexOf(tx)]!.bytes))
    }
    assert.strictEqual(mempool.totals().count, kept.length)
  })

  it("remembers which entries no peer has, until one has or they leave", () => {
    const mempool = emptyMempool()
    assert.isFalse(mempool.markUnbroadcast(idOf(parent)))
    const [a, b] = [add(mempool, parent, 100), add(mempool, child, 100)]
    assert.isTrue(mempool.markUnbroadcast(idOf(parent)))
    assert.isTrue(mempool.markUnbroadcast(idOf(child)))
    assert.sameMembers([...mempool.unbroadcast()], [a, b])
    mempool.clearUnbroadcast(idOf(parent))
    assert.isFalse(mempool.isUnbroadcast(a))
    assert.isTrue(mempool.isUnbroadcast(b))
    mempool.removeRecursive(child, idOf(child), "conflict")
    assert.deepStrictEqual(mempool.unbroadcast(), [])
  })

  it("is in the best order again after a commit, a block and a reorganization", () => {
    const mempool = emptyMempool()
    const isOptimal = (): boolean => mempool.graph.isOptimal()
    const great = spend([outputOf(grandchild), outputOf(parent, 1)])
    commit(mempool, { entries: [parent, child, grandchild, great].map((tx, at) => entryFor(tx, 100 * (at + 1))) })
    assert.isTrue(isOptimal())
    mempool.blockConnected([parent], idsOf([parent]), NOW)
    assert.deepStrictEqual([mempool.totals().count, isOptimal()], [3, true])
    const last = mempool.ofTxid(idOf(great))
    mempool.filter((tx) => tx === last)
    assert.deepStrictEqual([mempool.totals().count, isOptimal()], [2, true])
  })
})
