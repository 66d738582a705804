import { type OutPoint, type Transaction, transactionOf } from "@lockstep/kernel/model"
import { assert, describe, it } from "vitest"
import type { Removed, TxMempool } from "../../../src/engine/txmempool/contract.ts"
import { hexOf } from "../../../src/hex.ts"
import { idOf } from "../mempool/loose-transactions.ts"
import { pick, type Random } from "../planted-blocks.ts"
import { randomFrom } from "../session.ts"
import { coin, emptyMempool, entryFor, idsOf, nameOf, NOW } from "./mempools.ts"
import {
  addNaive,
  ancestorsOf,
  childrenOf,
  clustersOf,
  descendantsOf,
  naiveMempool,
  type NaiveMempool,
  outputName,
  parentsOf,
  recount,
  removeNaive,
  spentBy
} from "./naive-mempool.ts"

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)
const RUNS = 4
const LIMITS = { transactions: 5, size: 5_000 }
const MAX_BYTES = 26_000

/** A chain of blocks beside the mempool under test and its model. */
interface World {
  readonly mempool: TxMempool
  readonly naive: NaiveMempool
  readonly random: Random
  readonly blocks: Array<ReadonlyArray<Transaction>>
  /** For which reasons entries have left. */
  readonly departures: Set<string>
  coins: ReadonlyArray<OutPoint>
  step: number
}

const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1))

const outputsOf = (tx: Transaction): ReadonlyArray<OutPoint> => tx.outputs.map((_, vout) => ({ txid: idOf(tx), vout }))

/** Outputs that the next block could spend: confirmed ones, and those of entries. */
const spendable = ({ blocks, coins, naive }: World): ReadonlyArray<OutPoint> => {
  const confirmed = blocks.flat()
  const gone = new Set(confirmed.flatMap(spentBy))
  const outputs = [...confirmed, ...[...naive.entries.values()].map(({ tx }) => tx)].flatMap(outputsOf)
  return [...coins, ...outputs].filter((output) => !gone.has(outputName(output)))
}

const randomTransaction = (world: World): Transaction => {
  const { random } = world
  const spent = new Set([...world.naive.entries.values()].flatMap(({ tx }) => spentBy(tx)))
  const all = spendable(world)
  // Mostly no conflict.
  const outputs = random() < 0.2 ? all : all.filter((output) => !spent.has(outputName(output)))
  const chosen = new Map(
    Array.from({ length: 1 + upTo(random, 2) }, () => pick(outputs, random)).map((
      output
    ) => [outputName(output), output])
  )
  return transactionOf({
    version: 2,
    inputs: [...chosen.values()].map((prevout) => ({
      prevout,
      script: new Uint8Array(upTo(random, 60)),
      sequence: 0,
      witness: Array.from({ length: upTo(random, 2) }, () => new Uint8Array(upTo(random, 40)))
    })),
    outputs: Array.from(
      { length: 1 + upTo(random, 2) },
      () => ({ value: 1n, script: new Uint8Array(upTo(random, 60)) })
    ),
    lockTime: world.step
  })
}

/** Takes the answer of a removal into the model, whose entries were to leave in this order. */
const expectRemoved = (
  { departures, naive }: World,
  removed: ReadonlyArray<Removed>,
  names: ReadonlyArray<string>,
  reason: string
): void => {
  assert.deepStrictEqual(
    removed.map(({ entry, sequence }) => [hexOf(entry.txid), sequence]),
    names.map((name, i) => [name, naive.sequence + i])
  )
  for (const each of removed) {
    const name = hexOf(each.entry.txid)
    assert.strictEqual(each.reason, reason)
    assert.strictEqual(hexOf(each.entry.bytes), hexOf(naive.entries.get(name)!.tx.bytes))
    removeNaive(naive, name)
    departures.add(reason)
  }
}

const handleOf = ({ mempool }: World, name: string): number => mempool.ofTxid(Buffer.from(name, "hex"))!

const accept = (world: World, tx: Transaction, isReturning = false): boolean => {
  const { mempool, naive, random, step } = world
  const spent = new Set(spentBy(tx))
  const conflicts = [...naive.entries].filter(([, { tx: other }]) => spentBy(other).some((each) => spent.has(each)))
    .map(([name]) => name)
  const leaving = descendantsOf(naive, conflicts)
  // It would spend what it replaces.
  if (tx.inputs.some(({ prevout }) => leaving.includes(hexOf(prevout.txid)))) return false
  const given = entryFor(tx, upTo(random, 5_000), { time: NOW + step - upTo(random, 20) })
  const staged = mempool.stage({
    entries: [given],
    conflicts: conflicts.map((name) => handleOf(world, name)),
    isReturning
  })
  const sequence = isReturning ? 0 : naive.sequence
  const committed = staged.commit()
  if (committed === undefined) return false
  expectRemoved(world, committed.removed, leaving, "replaced")
  const modified = given.fee + (naive.deltas.get(nameOf(tx)) ?? 0n)
  const virtualSize = Math.ceil(given.weight / 4)
  addNaive(naive, { tx, fee: given.fee, modified, virtualSize, time: given.time, sequence })
  for (const child of childrenOf(naive, nameOf(tx))) naive.unconnected.add(`${nameOf(tx)} ${child}`)
  if (!isReturning) assert.strictEqual(mempool.takeSequence(), naive.sequence++)
  return true
}

const connectBlock = (world: World): void => {
  const { blocks, mempool, naive, random } = world
  const names = [...naive.entries.keys()]
  const chosen = names.length === 0 ? [] : Array.from({ length: upTo(random, 3) }, () => pick(names, random))
  const block = ancestorsOf(naive, chosen).map((name) => naive.entries.get(name)!.tx)
    .sort((a, b) => ancestorsOf(naive, [nameOf(a)]).length - ancestorsOf(naive, [nameOf(b)]).length)
  const foreign = randomTransaction(world)
  const spent = new Set(block.flatMap(spentBy))
  const isPooled = foreign.inputs.some(({ prevout }) => naive.entries.has(hexOf(prevout.txid)))
  if (!isPooled && !spentBy(foreign).some((output) => spent.has(output))) {
    block.splice(upTo(random, block.length), 0, foreign)
  }
  const removed = mempool.blockConnected(block, idsOf(block), NOW + world.step)
  let at = 0
  for (const tx of block) {
    if (naive.entries.has(nameOf(tx))) expectRemoved(world, [removed[at++]!], [nameOf(tx)], "block")
    for (const output of spentBy(tx)) {
      const conflict = [...naive.entries].find(([, { tx: other }]) => spentBy(other).includes(output))?.[0]
      if (conflict === undefined) continue
      naive.deltas.delete(conflict)
      const leaving = descendantsOf(naive, [conflict])
      expectRemoved(world, removed.slice(at, at + leaving.length), leaving, "conflict")
      at += leaving.length
    }
    naive.deltas.delete(nameOf(tx))
  }
  assert.lengthOf(removed, at)
  blocks.push(block)
}

const disconnectBlock = (world: World): void => {
  const { blocks, mempool, naive, random } = world
  const returned: Array<number> = []
  for (const tx of blocks.pop() ?? []) {
    if (accept(world, tx, true)) {
      returned.push(handleOf(world, nameOf(tx)))
      continue
    }
    const removed = mempool.removeRecursive(tx, idOf(tx), "reorg")
    const names: Array<string> = []
    for (const output of outputsOf(tx).map(outputName)) {
      const spender = [...naive.entries].find(([, each]) => spentBy(each.tx).includes(output))?.[0]
      if (spender === undefined || names.includes(spender)) continue
      names.push(...descendantsOf(naive, [spender]).filter((name) => !names.includes(name)))
    }
    expectRemoved(world, removed, names, "reorg")
  }
  // Its answer is not unique: whether it was right, the limits say.
  const cut = mempool.connectReturned(returned)
  naive.unconnected.clear()
  const names = cut.map(({ entry }) => hexOf(entry.txid))
  assert.deepStrictEqual(descendantsOf(naive, names), names)
  expectRemoved(world, cut, names, "sizelimit")
  const invalid = new Set([...naive.entries.keys()].filter(() => random() < 0.1))
  const removed = mempool.filter((tx) => invalid.has(hexOf(mempool.entry(tx).txid)))
  expectRemoved(world, removed, descendantsOf(naive, invalid), "reorg")
}

const expire = (world: World): void => {
  const cutoff = NOW + world.step - upTo(world.random, 200)
  const old = [...world.naive.entries].filter(([, { time }]) => time < cutoff).map(([name]) => name)
  expectRemoved(world, world.mempool.expire(cutoff), descendantsOf(world.naive, old), "expiry")
}

const trim = (world: World): void => {
  const { mempool, naive } = world
  const now = NOW + world.step
  const before = mempool.minimumFee(now)
  const worst = mempool.graph.worstChunk()
  const { fee, size, transactions } = worst === undefined
    ? { fee: 0, size: 1, transactions: [] }
    : mempool.graph.chunk(worst)
  const first = transactions.map((tx) => hexOf(mempool.entry(tx).txid))
  const isFull = mempool.totals().usage > MAX_BYTES
  const removed = mempool.trim()
  const names = removed.map(({ entry }) => hexOf(entry.txid))
  assert.deepStrictEqual(names.slice(0, first.length), isFull ? first.toSorted() : [])
  assert.sameMembers(names, [...descendantsOf(naive, names)])
  expectRemoved(world, removed, names, "sizelimit")
  assert.isAtMost(mempool.totals().usage, MAX_BYTES)
  if (isFull) assert.isAtLeast(mempool.minimumFee(now), Math.floor(fee * 1000 / Math.ceil(size / 4)) + 100)
  else assert.strictEqual(mempool.minimumFee(now), before)
}

const prioritise = ({ mempool, naive, random }: World): void => {
  const names = [...naive.entries.keys(), ...naive.deltas.keys(), hexOf(coin(upTo(random, 5)).txid)]
  const name = pick(names, random)
  const old = naive.deltas.get(name) ?? 0n
  const delta = random() < 0.3 ? -old : BigInt(upTo(random, 8_000) - 4_000)
  mempool.prioritise(Buffer.from(name, "hex"), delta)
  if (old + delta === 0n) naive.deltas.delete(name)
  else naive.deltas.set(name, old + delta)
  const entry = naive.entries.get(name)
  if (entry === undefined) return
  entry.modified += delta
  naive.updates++
}

const mark = (world: World): void => {
  const names = [...world.naive.entries.keys()]
  if (names.length === 0) return
  const name = pick(names, world.random)
  const txid = Buffer.from(name, "hex")
  if (world.naive.unbroadcast.delete(name)) return world.mempool.clearUnbroadcast(txid)
  assert.isTrue(world.mempool.markUnbroadcast(txid))
  world.naive.unbroadcast.add(name)
}

const removeOne = (world: World): void => {
  const { mempool, naive, random } = world
  const name = naive.entries.size === 0 ? undefined : pick([...naive.entries.keys()], random)
  if (name === undefined) return
  const { tx } = naive.entries.get(name)!
  expectRemoved(world, mempool.removeRecursive(tx, idOf(tx), "conflict"), descendantsOf(naive, [name]), "conflict")
}

/** The mempool is what the model recomputes. */
const compare = (world: World): void => {
  const { mempool, naive } = world
  const named = (txs: ReadonlyArray<number>) => txs.map((tx) => hexOf(mempool.entry(tx).txid))
  const order = [...mempool.graph.miningOrder()]
  assert.deepStrictEqual(named(order).toSorted(), [...naive.entries.keys()].toSorted())
  for (const [name, entry] of naive.entries) {
    const tx = handleOf(world, name)
    const { bytes, modifiedFee, sequence, wtxid } = mempool.entry(tx)
    assert.strictEqual(hexOf(bytes), hexOf(entry.tx.bytes))
    assert.deepStrictEqual([modifiedFee, sequence], [entry.modified, entry.sequence])
    assert.strictEqual(mempool.ofWtxid(wtxid), tx)
    for (const { prevout } of entry.tx.inputs) assert.strictEqual(mempool.spenderOf(prevout), tx)
    assert.deepStrictEqual(named(mempool.parents(tx)), parentsOf(naive, name))
    assert.deepStrictEqual(named(mempool.children(tx)), childrenOf(naive, name))
    const sums = (names: ReadonlyArray<string>) => ({
      count: names.length,
      virtualSize: names.reduce((sum, each) => sum + naive.entries.get(each)!.virtualSize, 0),
      fees: names.reduce((sum, each) => sum + naive.entries.get(each)!.modified, 0n)
    })
    assert.deepStrictEqual(mempool.ancestorSums(tx), sums(ancestorsOf(naive, [name])))
    assert.deepStrictEqual(mempool.descendantSums(tx), sums(descendantsOf(naive, [name])))
    const place = order.indexOf(tx)
    for (const parent of mempool.parents(tx)) assert.isBelow(order.indexOf(parent), place)
  }
  assert.deepStrictEqual(named(mempool.unbroadcast()), [...naive.unbroadcast].toSorted())
  assert.deepStrictEqual(
    mempool.prioritised().map(({ delta, modifiedFee, txid }) => [hexOf(txid), delta, modifiedFee]),
    [...naive.deltas].toSorted(([a], [b]) => a < b ? -1 : 1).map((
      [name, delta]
    ) => [name, delta, naive.entries.get(name)?.modified])
  )
  assert.deepStrictEqual([mempool.sequence(), mempool.updates()], [naive.sequence, naive.updates])
  const clusters = clustersOf(naive)
  assert.isTrue(clusters.every(({ length }) => length <= LIMITS.transactions))
  assert.strictEqual(mempool.graph.clusterCount(order), clusters.length)
  const diagram = mempool.feerateDiagram()
  const entries = [...naive.entries.values()]
  assert.strictEqual(diagram.at(-1)!.fee, entries.reduce((sum, { modified }) => sum + modified, 0n))
  assert.deepStrictEqual(mempool.totals(), {
    count: entries.length,
    virtualSize: entries.reduce((sum, { virtualSize }) => sum + virtualSize, 0),
    fees: entries.reduce((sum, { fee }) => sum + fee, 0n),
    usage: recount(naive, diagram.length - 1)
  })
}

const STEPS: ReadonlyArray<readonly [number, (world: World) => void]> = [
  [0.6, (world) => void accept(world, randomTransaction(world))],
  [0.7, prioritise],
  [0.77, connectBlock],
  [0.83, disconnectBlock],
  [0.86, expire],
  [0.92, trim],
  [0.96, mark],
  [1, removeOne]
]

const play = (seed: number, steps: number): World => {
  const world: World = {
    mempool: emptyMempool({ limits: LIMITS, maxBytes: MAX_BYTES }),
    naive: naiveMempool(),
    random: randomFrom(seed),
    blocks: [],
    departures: new Set(),
    coins: Array.from({ length: 12 }, (_, number) => coin(number)),
    step: 0
  }
  for (; world.step < steps; world.step++) {
    world.coins = [...world.coins, coin(1_000 + world.step)]
    const dice = world.random()
    STEPS.find(([below]) => dice < below)![1](world)
    compare(world)
  }
  return world
}

describe("the mempool and a naive one", () => {
  it("are the same after every random step, and entries leave for every reason", () => {
    const reasons = new Set<string>()
    for (let seed = SEED; seed < SEED + RUNS; seed++) {
      try {
        for (const reason of play(seed, 250).departures) reasons.add(reason)
      } catch (error) {
        throw new Error(`with seed ${seed}`, { cause: error })
      }
    }
    assert.containsAllKeys(reasons, ["block", "conflict", "expiry", "reorg", "replaced", "sizelimit"])
  })
})
