import { assert, describe, it } from "@effect/vitest"
import { blockHash, type Header, headerOf, type Transaction } from "@lockstep/kernel/model"
import { expandTarget, hashNumber } from "@lockstep/kernel/work"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import * as Effect from "effect/Effect"
import { testCrypto } from "../../engine/test-engine.ts"
import { caller, type Robot, type RobotLink } from "../connections/robot.ts"
import {
  addCore,
  assertGood,
  type CoreWorld,
  coreWorld,
  link,
  mineAt,
  pass,
  tipOf,
  untilSame
} from "../core-peer/core-world.ts"
import { OUTPUTS, spend } from "../core-peer/made-transactions.ts"
import { endpoint } from "../transport/transport-suite.ts"

const BITS = 0x207fffff

/** A header on our tip whose work is enough, of a block that does not exist. */
const badHeader = ({ ours }: CoreWorld, tag: number): Header => {
  const bytes = new Uint8Array(80)
  const view = new DataView(bytes.buffer)
  view.setInt32(0, 0x20000000, true)
  const { tip } = ours.chain.chain.tree
  bytes.set(tip.hash, 4)
  bytes.fill(tag & 255, 36, 52).fill(tag >> 8, 52, 68)
  view.setUint32(68, tip.header.time + 1, true)
  view.setUint32(72, BITS, true)
  for (let nonce = 0;; nonce++) {
    view.setUint32(76, nonce, true)
    const header = headerOf(bytes.slice())
    if (hashNumber(blockHash(header, testCrypto)) <= expandTarget(BITS)!) return header
  }
}

/** Any transaction: it is in none of the blocks. */
const other: Transaction = spend("witness", [{ txid: new Uint8Array(32).fill(9), vout: 0 }], [1n])

const SHORT_IDS = 40

const compactOf = (header: Header): MessageOf<"cmpctblock"> => ({
  command: "cmpctblock",
  header,
  nonce: 1n,
  shortIds: Array.from({ length: SHORT_IDS }, (_, i) => 1 + i),
  prefilled: [{ index: 0, transaction: other }]
})

/** How many transactions the attacker sends for those that are missing. */
type Answer = (missing: number) => number

/** Announces blocks that do not exist, one after another, and answers for each as if it were one. */
const attackOnce = Effect.fnUntraced(function*(world: CoreWorld, attacker: RobotLink, tag: number, answer: Answer) {
  const header = badHeader(world, tag)
  const from = attacker.received.length
  attacker.say({ command: "headers", headers: [header] })
  yield* pass(world, 300)
  attacker.say(compactOf(header))
  yield* pass(world, 300)
  const asked = attacker.received.slice(from).find(({ command }) => command === "getblocktxn") as
    | MessageOf<"getblocktxn">
    | undefined
  if (asked === undefined) return false
  const count = answer(asked.indexes.length)
  attacker.say({ command: "blocktxn", block: asked.block, transactions: Array.from({ length: count }, () => other) })
  yield* pass(world, 300)
  return true
})

const attackers = Effect.fnUntraced(function*(world: CoreWorld, count: number, first: number) {
  const all: Array<Robot> = []
  for (let i = 0; i < count; i++) all.push(yield* caller(world.layer, endpoint(`40.${first + i}.1.1:7`)))
  yield* pass(world, 1_000)
  for (const { links } of all) links[0]!.say({ command: "sendcmpct", announce: true, version: 2n })
  return all.map(({ links }) => links[0]!)
})

/** Our node at the tip of an honest one. */
const begin = Effect.gen(function*() {
  const world = yield* coreWorld()
  const honest = yield* addCore(world)
  yield* mineAt(world, world.ours, 110, OUTPUTS.witness)
  yield* link(world, honest, "we connect to Core")
  yield* untilSame(world, honest, world.ours)
  return { world, honest }
})

describe("bad compact blocks in a loop", () => {
  it.effect("of which no transaction is right do not keep the node from the honest chain", () =>
    Effect.gen(function*() {
      const { honest, world } = yield* begin
      let tried = 0
      for (let round = 0; round < 2; round++) {
        const links = yield* attackers(world, 3, 10 * round)
        for (let i = 0; i < 4; i++) {
          for (const [k, each] of links.entries()) {
            if (yield* attackOnce(world, each, 100 * round + 10 * i + k, (missing) => missing)) tried++
          }
        }
        yield* mineAt(world, honest, 1)
        yield* untilSame(world, world.ours, honest, 10_000)
        for (const { connection } of links) connection.close()
        yield* pass(world, 500)
      }
      const { compactBlocks } = world.layer.service
      assert.isAbove(tried, 6)
      assert.isAtLeast(compactBlocks.failed.mismatch, tried)
      assert.strictEqual(world.layer.service.peers.size, 1)
      assertGood(world)
    }))

  it.effect("answered with a wrong number of transactions cost the sender its connection at once", () =>
    Effect.gen(function*() {
      const { honest, world } = yield* begin
      const links = yield* attackers(world, 3, 0)
      for (const [i, each] of links.entries()) {
        assert.isTrue(yield* attackOnce(world, each, i, (missing) => missing + (i % 2 === 0 ? -1 : 1)))
        assert.isTrue(each.isClosed())
      }
      assert.strictEqual(world.layer.service.compactBlocks.failed.impossible, 3)
      const before = tipOf(world.ours)
      yield* mineAt(world, honest, 1)
      yield* untilSame(world, world.ours, honest, 10_000)
      assert.notStrictEqual(tipOf(world.ours), before)
      assertGood(world)
    }))
})
