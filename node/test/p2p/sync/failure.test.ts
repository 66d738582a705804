import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { concatBytes } from "@lockstep/kernel/bytes"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { syncSession } from "./sync-session.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const CHAIN = minedChain(2_500)
const LATER = CHAIN.at(-1)!.time + 3 * 86_400
const FULL = "The disk is full: nothing is written until there is space again"

const stages = (logs: ReadonlyArray<{ readonly message: string }>): ReadonlyArray<string> =>
  logs.map(({ message }) => message).filter((message) => message.startsWith("sync: "))

describe("a sync that fails", () => {
  it.effect("while the engine takes nothing in, requests nothing, blames no peer, and goes on from where it was", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const peers = [1, 2].map(() => session.add("outbound-full-relay", CHAIN))
      for (const each of peers) each.rate = 10
      yield* session.pass(3_000)
      const { height } = model.chain.tree.tip
      assert.isTrue(height > 0 && height < 2_500)
      model.halted = FULL
      yield* session.pass(5_000)
      assert.strictEqual(session.sync.progress.stage(), "Error")
      assert.strictEqual(session.sync.progress.status().error, FULL)
      assert.strictEqual(session.sync.progress.percent(), 0)
      const asked = peers.map((each) => each.asked.length)
      yield* session.pass(600_000)
      assert.deepStrictEqual(peers.map((each) => each.asked.length), asked)
      assert.deepStrictEqual(peers.map(({ peer }) => peer.gone), [undefined, undefined])
      assert.strictEqual(model.chain.tree.tip.height, height)
      model.halted = undefined
      yield* session.pass(60_000)
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
      assert.isUndefined(session.sync.progress.status().error)
      assert.deepStrictEqual(stages(model.logs), [
        "sync: Headers",
        "sync: Blocks",
        "sync: Error",
        "sync: Initial",
        "sync: Headers",
        "sync: Blocks",
        "sync: Synced"
      ])
      const failed = model.logs.find(({ message }) => message === "sync: Error")
      assert.deepStrictEqual([failed?.level, failed?.fields["reason"]], ["error", FULL])
      const states = model.events.filter(({ type }) => type === "SyncStateChanged").map(({ payload }) =>
        `sync: ${(payload as { readonly new_state: string }).new_state}`
      )
      assert.deepStrictEqual(states, stages(model.logs))
      const observed = model.events.map(({ type }) => type).filter((type) => !/Progress$|^SyncState/.test(type))
      const toBlocks = ["HeadersSyncStarted", "HeadersSyncCompleted", "BlockSyncStarted"]
      assert.deepStrictEqual(observed, [...toBlocks, ...toBlocks, "BlockSyncCompleted"])
      const again = model.events.findLast(({ type }) => type === "BlockSyncStarted")?.payload as {
        readonly start_height: number
      }
      assert.isAtLeast(again.start_height, height)
    }).pipe(Effect.scoped))

  it.effect("from every stage, and recovers to the first", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const fails = Effect.gen(function*() {
        const before = session.sync.progress.stage()
        model.halted = FULL
        yield* session.pass(500)
        assert.strictEqual(session.sync.progress.stage(), "Error", before)
        model.halted = undefined
        yield* session.pass(300)
        return before
      })
      assert.strictEqual(yield* fails, "Initial")
      assert.strictEqual(session.sync.progress.stage(), "Initial")
      const peer = session.add("outbound-full-relay", CHAIN)
      peer.sendsHeaders = false
      yield* session.pass(300)
      assert.strictEqual(yield* fails, "Headers")
      peer.sendsHeaders = true
      yield* session.pass(60_000)
      assert.strictEqual(yield* fails, "Synced")
      yield* session.pass(1_000)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
    }).pipe(Effect.scoped))

  it.effect("asks again, later, for what the engine refused without saying why; nothing is lost and no peer is blamed", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const peer = session.add("outbound-full-relay", CHAIN)
      peer.rate = 10
      yield* session.pass(2_000)
      model.isRefusing = true
      const before = peer.asked.length
      yield* session.pass(20_000)
      assert.strictEqual(session.sync.progress.stage(), "Error")
      // What was under way, and a few times the next ones: 1, 2, 4 and 8 seconds apart.
      assert.isBelow(peer.asked.length - before, 6 * 128)
      model.isRefusing = false
      yield* session.pass(120_000)
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
      assert.isUndefined(peer.peer.gone)
    }).pipe(Effect.scoped))

  it.effect("asks again for headers that the engine refused", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      model.isRefusing = true
      const { peer } = session.add("outbound-full-relay", CHAIN)
      yield* session.pass(2_000)
      assert.strictEqual(model.chain.tree.nodes.length, 1)
      model.isRefusing = false
      yield* session.pass(60_000)
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
      assert.isUndefined(peer.gone)
    }).pipe(Effect.scoped))

  it.effect("when no peer is left to fetch from, after a while; a new peer is asked", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const first = session.add("outbound-full-relay", CHAIN)
      first.rate = 10
      yield* session.pass(2_000)
      assert.strictEqual(session.sync.progress.stage(), "Blocks")
      first.peer.disconnect({ _tag: "OperatorRequest" })
      yield* session.pass(50_000)
      assert.strictEqual(session.sync.progress.stage(), "Blocks")
      yield* session.pass(20_000)
      assert.strictEqual(session.sync.progress.stage(), "Error")
      session.add("outbound-full-relay", CHAIN)
      yield* session.pass(20_000)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
    }).pipe(Effect.scoped))

  it.effect("not because a node is alone that misses nothing", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      yield* session.pass(300_000)
      assert.strictEqual(session.sync.progress.stage(), "Initial")
      const peer = session.add("outbound-full-relay", CHAIN)
      yield* session.pass(10_000)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
      peer.peer.disconnect({ _tag: "OperatorRequest" })
      yield* session.pass(300_000)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
    }).pipe(Effect.scoped))
})

describe("blocks that are not taken in", () => {
  it.effect("bytes that are no block are asked of others, and a peer that sends them again is disconnected", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model, { downloadTimeout: 2_000 })
      const good = session.add("outbound-full-relay", CHAIN)
      good.rate = 5
      yield* session.pass(200)
      const bad = session.add("outbound-full-relay", CHAIN)
      bad.sendsBlocks = false
      for (let turn = 0; turn < 400 && bad.peer.gone === undefined; turn++) {
        yield* session.pass(200)
        for (const hash of bad.toSend.splice(0)) {
          const header = bad.byHash.get(hash)!
          yield* session.give(bad.peer, {
            command: "block",
            header,
            bytes: concatBytes([header.bytes, Uint8Array.of(255)])
          })
        }
      }
      yield* session.pass(60_000)
      assert.strictEqual(bad.peer.gone?.reason, "does not send requested blocks")
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
      assert.isUndefined(good.peer.gone)
      assert.strictEqual(bad.peer.traffic.lastBlock, 0)
      assert.isAbove(good.peer.traffic.lastBlock, 0)
    }).pipe(Effect.scoped))

  it.effect("a peer that has to wait since we have enough to do owes nothing meanwhile", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model, { downloadTimeout: 5_000 })
      const slow = session.add("outbound-full-relay", CHAIN)
      const other = session.add("outbound-full-relay", CHAIN)
      slow.sendsBlocks = false
      other.sendsBlocks = false
      yield* session.pass(500)
      const gate = yield* Deferred.make<void>()
      model.holds = Deferred.await(gate)
      session.sync.state.waitingBytes = 1e9
      const header = slow.byHash.get(slow.toSend.shift()!)!
      const taking = yield* Effect.forkChild(session.give(slow.peer, { command: "block", header, bytes: header.bytes }))
      yield* Effect.yieldNow
      assert.isTrue(session.sync.state.peers.get(slow.peer.id)!.isHeldUp)
      yield* session.pass(60_000)
      assert.isUndefined(slow.peer.gone)
      assert.isDefined(other.peer.gone)
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.yieldNow
      session.sync.state.waitingBytes = 0
      slow.sendsBlocks = true
      yield* session.pass(20_000)
      assert.isTrue(taking.pollUnsafe() !== undefined)
      assert.strictEqual(hex(model.chain.tree.tip.hash), hex(hashOf(CHAIN.at(-1)!)))
    }).pipe(Effect.scoped))
})
