import { assert, describe, it } from "@effect/vitest"
import { DEFAULT_RELAY_POLICY } from "@lockstep/kernel/relay"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import type { MempoolListener } from "../../../src/engine/mempool/contract.ts"
import { makeMempoolContext } from "../../../src/engine/mempool/make-context.ts"
import { DEFAULT_MEMPOOL_SETTINGS, type MempoolSettings } from "../../../src/engine/options/settings.ts"
import { add, coin, commit, departures, entryFor, left, NOW, spend } from "../txmempool/mempools.ts"
import { outputOf } from "./loose-transactions.ts"

const TWO_WEEKS = 336 * 3_600

/** A context with two listeners, which write down what they are called with. */
const place = (settings: Partial<MempoolSettings> = {}) => {
  const calls: Array<string> = []
  const listener = (name: string): MempoolListener => ({
    added: (tx, { fee }, sequence, { isCounted }) => calls.push(`${name} added ${tx} ${fee} ${sequence} ${isCounted}`),
    removed: ({ reason }) => calls.push(`${name} removed ${reason}`),
    removedTogether: (removed) => calls.push(`${name} together ${removed.length}`),
    blockConnected: (removed, height) => calls.push(`${name} block ${removed.length} ${height}`),
    trimmed: (transactions, minimum) => calls.push(`${name} trimmed ${transactions} ${minimum}`),
    minimumFee: (rate) => calls.push(`${name} minimum ${rate}`)
  })
  const clock = { at: NOW }
  const context = makeMempoolContext(
    { clock: { now: () => clock.at } } as unknown as ChainEngine,
    { ...DEFAULT_MEMPOOL_SETTINGS, ...settings },
    [listener("a"), listener("b"), {}]
  )
  return { clock, context, calls }
}

describe("the mempool of an engine", () => {
  it("calls each listener with what enters, in order, with the next sequence number", () => {
    const { context, calls } = place()
    const handles = [1, 2].map((number) => add(context.state, spend([coin(number)]), 100 * number))
    const before = context.state.sequence()
    for (const handle of handles) context.announceAdded(handle, { isCounted: handle === handles[0], isNew: true })
    assert.deepStrictEqual(calls, [
      `a added ${handles[0]} 100 ${before} true`,
      `b added ${handles[0]} 100 ${before} true`,
      `a added ${handles[1]} 200 ${before + 1} false`,
      `b added ${handles[1]} 200 ${before + 1} false`
    ])
  })

  it("calls them with what leaves, all together first, then one by one", () => {
    const { context, calls } = place()
    const { added } = commit(context.state, { entries: [1, 2].map((number) => entryFor(spend([coin(number)]), 100)) })
    assert.lengthOf(added, 2)
    const removed = context.state.expire(NOW + 1)
    assert.lengthOf(removed, 2)
    context.announceRemoved(removed)
    const each = ["a removed expiry", "b removed expiry"]
    assert.deepStrictEqual(calls.splice(0), ["a together 2", "b together 2", ...each, ...each])
    context.announceBlock(removed, 7)
    assert.deepStrictEqual(calls, ["a block 2 7", "b block 2 7"])
  })

  it("makes room by age, then by size, and says then what it asks for", () => {
    const { clock, context, calls } = place()
    const [old, young] = [spend([coin(1)]), spend([coin(2)])]
    const child = spend([outputOf(old)])
    add(context.state, old, 100)
    add(context.state, child, 100, { time: NOW + 50 })
    add(context.state, young, 100, { time: NOW + 1 })
    clock.at = NOW + TWO_WEEKS
    context.makeRoom()
    assert.isDefined(context.state.ofTxid(outputOf(old).txid), "of exactly two weeks ago")
    calls.length = 0
    clock.at++
    context.makeRoom()
    assert.deepStrictEqual(calls.filter((line) => line.startsWith("a removed")), [
      "a removed expiry",
      "a removed expiry"
    ])
    assert.deepStrictEqual(calls.slice(-2), ["a minimum 0", "b minimum 0"])
    assert.deepStrictEqual(departures(context.state.expire(NOW + 2)), left("expiry", young))
  })

  it("has no more transactions than are set, and asks for the incremental fee beyond what left", () => {
    const policy = { ...DEFAULT_RELAY_POLICY, incrementalRelayFee: { fee: 70n, size: 500 } }
    const { context, calls } = place({ maxTransactions: 1, policy })
    const cheap = entryFor(spend([coin(1)]), 1_000, { weight: 4_000, adjustedWeight: 4_000 })
    commit(context.state, { entries: [cheap] })
    add(context.state, spend([coin(2)]), 100_000)
    context.makeRoom()
    assert.deepStrictEqual(calls.filter((line) => line.startsWith("a removed")), ["a removed sizelimit"])
    assert.isUndefined(context.state.ofTxid(cheap.txid))
    // 1 satoshi a virtual byte, and 70 for 500.
    assert.strictEqual(context.minimumFee(), 1_000 + 140)
    assert.deepStrictEqual(calls.slice(-4), [
      "a trimmed 1 1140",
      "b trimmed 1 1140",
      "a minimum 1140",
      "b minimum 1140"
    ])
    calls.length = 0
    context.makeRoom()
    assert.deepStrictEqual(calls.filter((line) => line.includes("trimmed")), [], "nothing was evicted")
  })

  it("has clusters as large as the policy lets them be", () => {
    const policy = { ...DEFAULT_RELAY_POLICY, cluster: { ...DEFAULT_RELAY_POLICY.cluster, count: 2 } }
    const { context } = place({ policy })
    const parent = spend([coin(1)])
    const child = spend([outputOf(parent)])
    add(context.state, parent, 100)
    add(context.state, child, 100)
    const entries = [entryFor(spend([outputOf(child)]), 100)]
    assert.isUndefined(context.state.stage({ entries, conflicts: [] }).commit())
  })
})
