import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import type { Transaction } from "@lockstep/kernel/model"
import { disconnectedTransactions } from "../../../src/engine/mempool/disconnected-transactions.ts"
import { transactionUsage } from "../../../src/engine/txmempool/memory-usage.ts"
import { idOf, loose } from "./loose-transactions.ts"

const txOf = (n: number): Transaction =>
  loose({ inputs: [{ txid: new Uint8Array(32).fill(n), vout: 0 }], values: [BigInt(n)] })

const idsOf = (...transactions: ReadonlyArray<Transaction>): Uint8Array => concatBytes(transactions.map(idOf))

const numbersOf = (held: ReadonlyArray<{ readonly tx: Transaction }>): ReadonlyArray<number> =>
  held.map(({ tx }) => Number(tx.outputs[0]!.value))

describe("the queue of disconnected transactions", () => {
  const [a, b, c, d] = [1, 2, 3, 4].map(txOf) as [Transaction, Transaction, Transaction, Transaction]

  it("gives them back in the order in which they were confirmed, once", () => {
    const queue = disconnectedTransactions()
    assert.isTrue(queue.isEmpty())
    assert.deepStrictEqual(queue.add([c, d], idsOf(c, d)), [])
    assert.deepStrictEqual(queue.add([a, b], idsOf(a, b)), [])
    assert.isFalse(queue.isEmpty())
    const all = queue.takeAll()
    assert.deepStrictEqual(numbersOf(all), [1, 2, 3, 4])
    assert.deepStrictEqual(all.map(({ txid }) => txid), [a, b, c, d].map(idOf))
    assert.isTrue(queue.isEmpty())
    assert.deepStrictEqual(queue.takeAll(), [])
  })

  it("forgets what the new branch confirms", () => {
    const queue = disconnectedTransactions()
    queue.add([a, b, c], idsOf(a, b, c))
    queue.remove(idsOf(b, d))
    assert.deepStrictEqual(numbersOf(queue.takeAll()), [1, 3])
  })

  it("evicts what was confirmed last when there is no more room, and has room again when it was emptied", () => {
    const one = disconnectedTransactions(1)
    assert.deepStrictEqual(numbersOf(one.add([a], idsOf(a))), [1])
    assert.isTrue(one.isEmpty())
    // Nodes of a list and of a map for each, and three buckets as one block of memory.
    const exact = 3 * (transactionUsage(a) + 48 + 64) + 48
    assert.deepStrictEqual(disconnectedTransactions(exact).add([a, b, c], idsOf(a, b, c)), [])
    assert.deepStrictEqual(numbersOf(disconnectedTransactions(exact - 1).add([a, b, c], idsOf(a, b, c))), [3])
    // Each of these takes the same room.
    let limit = 1
    while (disconnectedTransactions(limit).add([a, b, c], idsOf(a, b, c)).length > 0) limit += 1
    const queue = disconnectedTransactions(limit)
    queue.add([c, d], idsOf(c, d))
    assert.deepStrictEqual(numbersOf(queue.add([a, b], idsOf(a, b))), [4])
    assert.deepStrictEqual(numbersOf(queue.takeAll()), [1, 2, 3])
    assert.deepStrictEqual(queue.add([a, b, c], idsOf(a, b, c)), [])
    queue.remove(idsOf(a))
    assert.deepStrictEqual(queue.add([d], idsOf(d)), [])
  })
})
