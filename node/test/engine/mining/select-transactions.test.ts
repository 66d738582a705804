import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import { DEFAULT_MINING_OPTIONS, type MiningOptions } from "../../../src/engine/options/mining-options.ts"
import { selectTransactions } from "../../../src/engine/mining/select-transactions.ts"
import type { TxMempool } from "../../../src/engine/txmempool/contract.ts"
import { loose, outputOf } from "../mempool/loose-transactions.ts"
import { add, coin, emptyMempool, entryFor, nameOf, spend } from "../txmempool/mempools.ts"

const HEIGHT = 300
const CUTOFF = 1_600_000_000

const selectionOf = (mempool: TxMempool, options: Partial<MiningOptions> = {}, height = HEIGHT) =>
  selectTransactions(mempool, { height, cutoff: CUTOFF }, { ...DEFAULT_MINING_OPTIONS, ...options })

/** What is selected, by name. */
const namesIn = (mempool: TxMempool, options: Partial<MiningOptions> = {}, height = HEIGHT): ReadonlyArray<string> =>
  selectionOf(mempool, options, height).transactions.map((tx) => nameOf(mempool.transaction(tx)))

const names = (...transactions: ReadonlyArray<Transaction>): ReadonlyArray<string> => transactions.map(nameOf)

/** Weight of a transaction of {@link spend} with one input. */
const WEIGHT = entryFor(spend([coin(0)]), 0).weight
const RESERVED = 8_000

describe("the transactions of a block", () => {
  it("are chunks in mining order: a child that pays brings its parent", () => {
    const mempool = emptyMempool()
    const parent = spend([coin(1)])
    const child = spend([outputOf(parent)], 1)
    const middle = spend([coin(2)])
    const best = spend([coin(3)])
    add(mempool, parent, 10)
    add(mempool, child, 5_000)
    add(mempool, middle, 1_000)
    add(mempool, best, 9_000)
    assert.deepStrictEqual(namesIn(mempool), names(best, parent, child, middle))
    assert.strictEqual(selectionOf(mempool).weight, RESERVED + 4 * WEIGHT)
  })

  it("stay below the weight that a block may have, and one that is smaller may still fit", () => {
    const mempool = emptyMempool()
    const large = spend([coin(1)], 0, 20)
    const small = spend([coin(2)])
    add(mempool, large, 90_000)
    add(mempool, small, 100)
    const most = RESERVED + entryFor(large, 0).weight
    assert.deepStrictEqual(namesIn(mempool, { blockMaxWeight: most + 1 }), names(large))
    assert.deepStrictEqual(namesIn(mempool, { blockMaxWeight: most }), names(small), "equal is too much")
    assert.deepStrictEqual(namesIn(mempool, { blockMaxWeight: most + WEIGHT + 1 }), names(large, small))
    assert.deepStrictEqual(namesIn(mempool, { blockMaxWeight: most + WEIGHT }), names(large))
    assert.deepStrictEqual(
      namesIn(mempool, { blockMaxWeight: most + 1, blockReservedWeight: RESERVED + 1 }),
      names(small)
    )
  })

  it("fit by their adjusted weight and take their plain one", () => {
    const mempool = emptyMempool()
    const heavy = spend([coin(1)])
    const other = spend([coin(2)])
    add(mempool, heavy, 9_000, { adjustedWeight: 2_000 })
    add(mempool, other, 1_000)
    assert.deepStrictEqual(namesIn(mempool, { blockMaxWeight: RESERVED + 2_000 }), names(other))
    const both = selectionOf(mempool, { blockMaxWeight: RESERVED + 2_001 })
    assert.lengthOf(both.transactions, 2)
    assert.strictEqual(both.weight, RESERVED + 2 * WEIGHT)
  })

  it("leave out the rest of a cluster of which one did not fit", () => {
    const mempool = emptyMempool()
    const parent = spend([coin(1)], 0, 30)
    const child = spend([outputOf(parent)])
    const other = spend([coin(2)])
    add(mempool, parent, 90_000)
    add(mempool, child, 500)
    add(mempool, other, 400)
    assert.deepStrictEqual(namesIn(mempool), names(parent, child, other))
    assert.deepStrictEqual(namesIn(mempool, { blockMaxWeight: RESERVED + 3 * WEIGHT }), names(other))
  })

  it("cost less than the limit of signature operations, of which the coinbase has some", () => {
    const mempool = emptyMempool()
    const costly = spend([coin(1)])
    const cheap = spend([coin(2)])
    add(mempool, costly, 9_000, { sigOpCost: 79_600 })
    add(mempool, cheap, 100, { sigOpCost: 4 })
    assert.deepStrictEqual(namesIn(mempool), names(cheap))
    const other = emptyMempool()
    add(other, costly, 9_000, { sigOpCost: 79_599 })
    add(other, cheap, 100, { sigOpCost: 1 })
    assert.deepStrictEqual(namesIn(other), names(costly))
    assert.strictEqual(selectionOf(other).sigOpCost, 79_999)
  })

  it("are final by height and by time", () => {
    const mempool = emptyMempool()
    const locked = (number: number, lockTime: number, sequence: number) =>
      loose({ inputs: [coin(number)], values: [1_000n], lockTime, sequence })
    const byHeight = locked(1, HEIGHT, 0)
    const byTime = locked(2, CUTOFF, 0)
    const disabled = locked(3, HEIGHT + 1_000, 0xffffffff)
    add(mempool, byHeight, 9_000)
    add(mempool, byTime, 8_000)
    add(mempool, disabled, 7_000)
    assert.deepStrictEqual(namesIn(mempool), names(disabled))
    assert.deepStrictEqual(namesIn(mempool, {}, HEIGHT + 1), names(byHeight, disabled))
    const later = selectTransactions(mempool, { height: HEIGHT, cutoff: CUTOFF + 1 }, DEFAULT_MINING_OPTIONS)
    assert.deepStrictEqual(later.transactions.map((tx) => nameOf(mempool.transaction(tx))), names(byTime, disabled))
  })

  it("pay the least fee by the virtual size of their chunk, rounded up", () => {
    const mempool = emptyMempool()
    const tx = spend([coin(1)])
    const size = Math.ceil((WEIGHT + 1) / 4)
    add(mempool, tx, size, { adjustedWeight: WEIGHT + 1 })
    assert.deepStrictEqual(namesIn(mempool, { blockMinFee: 1_000n }), names(tx))
    assert.deepStrictEqual(namesIn(mempool, { blockMinFee: 1_001n }), [])
    mempool.prioritise(entryFor(tx, 0).txid, 10n)
    assert.deepStrictEqual(namesIn(mempool, { blockMinFee: 1_001n }), names(tx), "what the operator added counts")
    mempool.prioritise(entryFor(tx, 0).txid, -10_000n)
    assert.deepStrictEqual(namesIn(mempool, { blockMinFee: 0n }), [])
    // Of fees that numbers hold, but not their products with sizes.
    mempool.prioritise(entryFor(tx, 0).txid, 2_000_000_000_010_000n)
    const most = (BigInt(size) + 2_000_000_000_000_010n) * 1_000n / BigInt(size)
    assert.deepStrictEqual(namesIn(mempool, { blockMinFee: most }), names(tx))
    assert.deepStrictEqual(namesIn(mempool, { blockMinFee: most + 1n }), [])
  })

  it("are not sought for ever once a block is nearly full", () => {
    const large = (number: number) => spend([coin(number)], 0, 20)
    const small = spend([coin(9_999)])
    const withFailures = (failures: number): TxMempool => {
      const mempool = emptyMempool()
      for (let i = 0; i < failures; i++) add(mempool, large(i), 90_000)
      add(mempool, small, 100)
      return mempool
    }
    const nearlyFull = { blockMaxWeight: RESERVED + WEIGHT + 1 }
    assert.deepStrictEqual(namesIn(withFailures(1_000), nearlyFull), names(small))
    const many = withFailures(1_001)
    assert.deepStrictEqual(namesIn(many, nearlyFull), [])
    assert.isBelow(selectionOf(many).weight, 4_000_000)
    assert.lengthOf(namesIn(many), 1_002)
    const unripe = emptyMempool()
    for (let i = 0; i < 1_001; i++) {
      add(unripe, loose({ inputs: [coin(i)], values: [1_000n], lockTime: HEIGHT, sequence: 0 }), 90_000)
    }
    add(unripe, small, 100)
    assert.deepStrictEqual(namesIn(unripe), names(small), "it is as good as empty")
    assert.deepStrictEqual(namesIn(unripe, { blockMaxWeight: RESERVED + 4_000 }), names(small))
    assert.deepStrictEqual(namesIn(unripe, { blockMaxWeight: RESERVED + 3_999 }), [])
  })

  it("are sought on behind any number that do not fit, where one that fits stands between them", () => {
    const mempool = emptyMempool()
    const fitting = [1, 2, 3].map((number) => spend([coin(9_000 + number)]))
    let fee = 9_000_000
    for (const small of fitting) {
      // A better one of more weight does not fit, a worse one that is small does.
      for (let i = 0; i < 600; i++) add(mempool, spend([coin(fee--)], 0, 20), 20 * fee)
      add(mempool, small, Math.floor(fee * WEIGHT / entryFor(spend([coin(0)], 0, 20), 0).weight) * 20)
      fee -= 10
    }
    const room = RESERVED + fitting.length * WEIGHT + 1
    assert.deepStrictEqual(namesIn(mempool, { blockMaxWeight: room }), names(...fitting))
  })
})
