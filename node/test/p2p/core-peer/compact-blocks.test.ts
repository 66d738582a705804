import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  addCore,
  assertGood,
  coreWorld,
  type CoreInhabitant,
  link,
  mineAt,
  mineWith,
  pass,
  until,
  untilSame
} from "./core-world.ts"
import { receivedCommands } from "./core-link.ts"
import { FEE, hasInPool, OUTPUTS, outputOf, REWARD, rewardAt, spend, submit } from "./made-transactions.ts"

const count = (commands: ReadonlyArray<string>, ...wanted: ReadonlyArray<string>): number =>
  commands.filter((command) => wanted.includes(command)).length

const linkOf = (core: CoreInhabitant) => core.open()[0]!

/** What asks for a block or for transactions of one. */
const ROUND_TRIPS = ["getblocktxn", "getdata"]

describe("a block between two Cores and us, announced in high-bandwidth mode", () => {
  it.effect("is put together without a round trip when the pool has its transactions, and passed on", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const miner = yield* addCore(world)
      const other = yield* addCore(world)
      yield* mineAt(world, world.ours, 110, OUTPUTS.witness)
      yield* link(world, miner, "we connect to Core")
      yield* link(world, other, "Core connects to us")
      yield* untilSame(world, miner, world.ours)
      yield* untilSame(world, other, world.ours)
      // The one that brings a block is asked to announce the next ones unrequested.
      yield* mineAt(world, miner, 1)
      yield* untilSame(world, miner, world.ours)
      yield* untilSame(world, other, world.ours)
      yield* until(
        world,
        "we chose the miner, and the other us",
        () => linkOf(miner).wantsCompactFirst && other.state.compactFirst.length === 1
      )
      const transactions = [spend("witness", [yield* rewardAt(miner, 1)], [REWARD - FEE])]
      for (let i = 2; i < 12; i++) {
        transactions.push(spend("witness", [outputOf(transactions.at(-1)!)], [REWARD - BigInt(i) * FEE]))
      }
      for (const tx of transactions) assert.strictEqual(yield* submit(miner, tx), "Accepted")
      yield* until(
        world,
        "all have them",
        () => [world.ours, other].every((who) => transactions.every((tx) => hasInPool(who, tx)))
      )
      yield* pass(world, 1_000)
      const [receivedBefore, otherReceived, otherSaid] = [
        receivedCommands(linkOf(miner)).length,
        receivedCommands(linkOf(other)).length,
        linkOf(other).said.length
      ]
      yield* mineWith(world, miner, transactions)
      yield* untilSame(world, world.ours, miner, 3_000)
      yield* untilSame(world, other, world.ours, 3_000)
      assert.strictEqual(count(receivedCommands(linkOf(miner)).slice(receivedBefore), ...ROUND_TRIPS), 0)
      assert.strictEqual(count(receivedCommands(linkOf(other)).slice(otherReceived), "cmpctblock"), 1)
      assert.strictEqual(count(linkOf(other).said.slice(otherSaid).map(({ command }) => command), ...ROUND_TRIPS), 0)
      assertGood(world)
    }))

  it.effect("is put together after one request when a transaction is not in the pool", () =>
    Effect.gen(function*() {
      const world = yield* coreWorld()
      const miner = yield* addCore(world)
      yield* mineAt(world, world.ours, 110, OUTPUTS.witness)
      yield* link(world, miner, "we connect to Core")
      yield* untilSame(world, miner, world.ours)
      yield* mineAt(world, miner, 1)
      yield* untilSame(world, miner, world.ours)
      yield* until(world, "we chose the miner", () => linkOf(miner).wantsCompactFirst)
      const receivedBefore = receivedCommands(linkOf(miner)).length
      yield* mineWith(world, miner, [spend("witness", [yield* rewardAt(miner, 1)], [REWARD - FEE])])
      yield* untilSame(world, world.ours, miner, 3_000)
      const received = receivedCommands(linkOf(miner)).slice(receivedBefore)
      assert.strictEqual(count(received, "getblocktxn"), 1)
      assert.strictEqual(count(received, "getdata"), 0)
      assertGood(world)
    }))
})
