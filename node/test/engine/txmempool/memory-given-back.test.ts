import { assert, describe, it } from "vitest"
import type { Transaction } from "@lockstep/kernel/model"
import { blockConnected } from "../../../src/engine/txmempool/block-connected.ts"
import { removeWithDescendants } from "../../../src/engine/txmempool/remove.ts"
import { connectReturned } from "../../../src/engine/txmempool/reorganization.ts"
import { stage } from "../../../src/engine/txmempool/stage.ts"
import { emptyState, type MempoolState } from "../../../src/engine/txmempool/state.ts"
import { loose, outputOf } from "../mempool/loose-transactions.ts"
import { coin, entryFor, idsOf, NOW, OPTIONS } from "./mempools.ts"

const MEBIBYTE = 1 << 20

/** A transaction of 90 kB: eleven of them fill a chunk of the arena. */
const large = (number: number, parent?: Transaction): Transaction =>
  loose({
    inputs: parent === undefined ? [coin(number)] : [outputOf(parent, number)],
    values: [1n],
    outputScript: new Uint8Array(90_000).fill(number)
  })

const MANY = Array.from({ length: 44 }, (_, number) => large(number))
/** One of eleven stays. */
const LEAVING = MANY.filter((_, number) => number % 11 !== 3)

const enter = (state: MempoolState, transactions: ReadonlyArray<Transaction>, isReturning = false) =>
  stage(state, { entries: transactions.map((tx) => entryFor(tx, 1_000)), conflicts: [], isReturning }).commit()!.added

const withMany = (limits = OPTIONS.limits) => {
  const state = emptyState({ ...OPTIONS, limits })
  const handles = MANY.map((tx) => enter(state, [tx])[0]!)
  assert.strictEqual(state.columns.arena.allocated, 4 * MEBIBYTE)
  return { state, leaving: handles.filter((_, number) => number % 11 !== 3) }
}

/** What stays fits into one chunk, beside the one that is being written. */
const isGivenBack = ({ columns: { arena, count } }: MempoolState): void => {
  assert.strictEqual(count, 4)
  assert.isAtMost(arena.allocated, 2 * MEBIBYTE)
}

describe("the memory of transactions that leave the mempool", () => {
  it("is given back by a block", () => {
    const { state } = withMany()
    blockConnected(state, LEAVING, idsOf(LEAVING), NOW)
    isGivenBack(state)
  })

  it("is given back by a removal", () => {
    const { leaving, state } = withMany()
    removeWithDescendants(state, leaving, "expiry")
    isGivenBack(state)
  })

  it("is given back by a replacement", () => {
    const { leaving, state } = withMany()
    const small = loose({ inputs: [coin(999)], values: [1n] })
    stage(state, { entries: [entryFor(small, 1_000_000)], conflicts: leaving }).commit()
    assert.strictEqual(state.columns.count, 5)
    assert.isAtMost(state.columns.arena.allocated, 2 * MEBIBYTE)
  })

  it("is given back when a reorganization cuts off what exceeds the limits", () => {
    const state = emptyState({ ...OPTIONS, limits: { transactions: 5, size: 100_000_000 } })
    const parent = loose({ inputs: [coin(1)], values: Array.from({ length: 44 }, () => 1n) })
    enter(state, Array.from({ length: 44 }, (_, number) => large(number, parent)).slice(0, 22))
    enter(state, Array.from({ length: 44 }, (_, number) => large(number, parent)).slice(22))
    assert.isAtLeast(state.columns.arena.allocated, 4 * MEBIBYTE)
    const added = enter(state, [parent], true)
    assert.lengthOf(connectReturned(state, added), 40)
    assert.strictEqual(state.columns.count, 5)
    assert.isAtMost(state.columns.arena.allocated, 2 * MEBIBYTE)
  })
})
