import { assert, describe, it } from "@effect/vitest"
import type { Header } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { type ChainPeer, syncSession } from "./sync-session.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const CHAIN = minedChain(2_500)
const LATER = CHAIN.at(-1)!.time + 3 * 86_400

const headersRequests = ({ peer: { sent } }: ChainPeer): number =>
  sent.filter(({ command }) => command === "getheaders").length

/** Another branch from a height on, `blocks` long. */
const branchFrom = (height: number, blocks: number, salt: number): ReadonlyArray<Header> => {
  const fork = CHAIN[height - 1]!
  return minedChain(blocks, salt, hashOf(fork), fork.time)
}

const twice = (peers: ReadonlyArray<ChainPeer>): number => {
  const asked = peers.flatMap((peer) => peer.asked)
  return asked.length - new Set(asked).size
}

describe("while blocks are fetched", () => {
  for (const how of ["headers", "names"] as const) {
    for (const depth of [1, 10]) {
      it.effect(`a new branch that replaces the last ${depth}, announced by ${how}, is what the sync ends with`, () =>
        Effect.gen(function*() {
          const model = chainModel(LATER)
          const session = yield* syncSession(model)
          const branch = branchFrom(2_500 - depth, depth + 1, 9)
          const peers = [1, 2].map(() => session.add("outbound-full-relay", CHAIN))
          for (const peer of peers) peer.rate = 10
          yield* session.pass(4_000)
          assert.isBelow(model.chain.tree.tip.height, 2_000)
          const changed = session.add("outbound-full-relay", [...CHAIN.slice(0, 2_500 - depth), ...branch])
          changed.rate = 10
          if (how === "headers") yield* session.give(changed.peer, { command: "headers", headers: branch })
          else session.sync.blocksAnnounced(changed.peer, [hashOf(branch.at(-1)!)])
          yield* session.pass(60_000)
          assert.strictEqual(hex(model.chain.tree.tip.hash), hex(hashOf(branch.at(-1)!)))
          assert.strictEqual(session.sync.progress.stage(), "Synced")
          assert.deepStrictEqual([...peers, changed].map(({ peer }) => peer.gone), [undefined, undefined, undefined])
          assert.strictEqual(twice([...peers, changed]), 0)
        }).pipe(Effect.scoped))
    }
  }

  it.effect("a branch of more work that turns out to be invalid costs its sender, and no other peer anything", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const branch = branchFrom(1_500, 1_100, 11)
      model.invalid.add(hex(hashOf(branch[3]!)))
      const good = session.add("outbound-full-relay", CHAIN)
      good.rate = 10
      yield* session.pass(4_000)
      const liar = session.add("outbound-full-relay", [...CHAIN.slice(0, 1_500), ...branch])
      yield* session.give(liar.peer, { command: "headers", headers: branch })
      yield* session.pass(60_000)
      assert.strictEqual(hex(model.chain.tree.tip.hash), hex(hashOf(CHAIN.at(-1)!)))
      assert.isTrue(liar.peer.gone?.discouraged)
      assert.isUndefined(good.peer.gone)
    }).pipe(Effect.scoped))

  it.effect("new blocks that peers name make one of them after another send headers, each once", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const silent = session.add("outbound-full-relay", CHAIN)
      silent.sendsHeaders = false
      const others = [1, 2, 3].map(() => session.add("inbound", CHAIN))
      for (const other of others) other.sendsHeaders = false
      yield* session.pass(300)
      assert.deepStrictEqual(others.map(headersRequests), [0, 0, 0])
      const name = (...blocks: ReadonlyArray<number>): void => {
        for (const { peer } of others) session.sync.blocksAnnounced(peer, blocks.map((block) => hashOf(CHAIN[block]!)))
      }
      name(2_400)
      assert.deepStrictEqual(others.map(headersRequests), [1, 0, 0])
      name(2_400)
      assert.deepStrictEqual(others.map(headersRequests), [1, 0, 0])
      name(2_401)
      assert.deepStrictEqual(others.map(headersRequests), [1, 1, 0])
      model.clock += 300_000
      name(2_402, 2_403)
      assert.deepStrictEqual(others.map(headersRequests), [1, 1, 1])
      name(2_404)
      assert.deepStrictEqual(others.map(headersRequests), [1, 1, 1])
    }).pipe(Effect.scoped))

  it.effect("blocks that are announced far from the tip are fetched in their turn", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const newest = minedChain(1, 5, hashOf(CHAIN.at(-1)!), CHAIN.at(-1)!.time)
      const peer = session.add("outbound-full-relay", [...CHAIN, ...newest])
      peer.rate = 20
      yield* session.pass(1_000)
      assert.isBelow(model.chain.tree.tip.height, 2_000)
      const before = peer.peer.sent.length
      yield* session.give(peer.peer, { command: "headers", headers: newest })
      assert.strictEqual(peer.peer.sent.length, before)
      yield* session.pass(60_000)
      assert.strictEqual(hex(model.chain.tree.tip.hash), hex(hashOf(newest[0]!)))
    }).pipe(Effect.scoped))
})
