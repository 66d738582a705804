import assert from "node:assert/strict"
import type { Transaction } from "@lockstep/kernel/model"
import type { Removed } from "../../../src/engine/txmempool/contract.ts"
import { hexOf } from "../../../src/hex.ts"
import { idOf } from "../mempool/loose-transactions.ts"
import { pick } from "../planted-blocks.ts"
import { compareWorld } from "./compare-world.ts"
import { coin, entryFor, idsOf, nameOf, NOW } from "./mempools.ts"
import { addNaive, ancestorsOf, childrenOf, descendantsOf, outputName, removeNaive, spentBy } from "./naive-mempool.ts"
import { handleOf, outputsOf, randomTransaction, upTo, type World } from "./world.ts"

/** Takes the answer of a removal into the model, whose entries were to leave in this order. */
const expectRemoved = (
  { departures, naive }: World,
  removed: ReadonlyArray<Removed>,
  names: ReadonlyArray<string>,
  reason: string
): void => {
  assert.deepEqual(
    removed.map(({ entry, sequence }) => [hexOf(entry.txid), sequence]),
    names.map((name, i) => [name, naive.sequence + i])
  )
  for (const each of removed) {
    const name = hexOf(each.entry.txid)
    assert.equal(each.reason, reason)
    assert.equal(hexOf(each.entry.bytes), hexOf(naive.entries.get(name)!.tx.bytes))
    removeNaive(naive, name)
    departures.add(reason)
  }
}

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
  if (!isReturning) assert.equal(mempool.takeSequence(), naive.sequence++)
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
  assert.equal(removed.length, at)
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
  assert.deepEqual(descendantsOf(naive, names), names)
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
  const { maxBytes, mempool, naive } = world
  const now = NOW + world.step
  const before = mempool.minimumFee(now)
  const worst = mempool.graph.worstChunk()
  const { fee, size, transactions } = worst === undefined
    ? { fee: 0, size: 1, transactions: [] }
    : mempool.graph.chunk(worst)
  const first = transactions.map((tx) => hexOf(mempool.entry(tx).txid))
  const isFull = mempool.totals().usage > maxBytes
  const removed = mempool.trim().removed
  const names = removed.map(({ entry }) => hexOf(entry.txid))
  assert.deepEqual(names.slice(0, first.length), isFull ? first.toSorted() : [])
  assert.deepEqual(names.toSorted(), descendantsOf(naive, names))
  expectRemoved(world, removed, names, "sizelimit")
  assert.ok(mempool.totals().usage <= maxBytes)
  if (isFull) assert.ok(mempool.minimumFee(now) >= Math.floor(fee * 1000 / Math.ceil(size / 4)) + 100)
  else assert.equal(mempool.minimumFee(now), before)
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
  assert.ok(world.mempool.markUnbroadcast(txid))
  world.naive.unbroadcast.add(name)
}

const removeOne = (world: World): void => {
  const { mempool, naive, random } = world
  const name = naive.entries.size === 0 ? undefined : pick([...naive.entries.keys()], random)
  if (name === undefined) return
  const { tx } = naive.entries.get(name)!
  expectRemoved(world, mempool.removeRecursive(tx, idOf(tx), "conflict"), descendantsOf(naive, [name]), "conflict")
}

/** What may happen, each up to a value of the dice. */
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

/** Something happens to the mempool and to its model, which are compared afterwards every so many steps. */
export const takeStep = (world: World, every = 1): void => {
  world.coins = [...world.coins, coin(1_000 + world.step)]
  const dice = world.random()
  STEPS.find(([below]) => dice < below)![1](world)
  world.step++
  if (world.step % every === 0) compareWorld(world)
}
