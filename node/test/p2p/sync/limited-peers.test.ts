import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { serveInventory } from "../../../src/p2p/serving/serve-headers.ts"
import { chainModel, GENESIS_HASH, hashOf, minedChain, scriptedPeer } from "./chain-model.ts"
import { syncSession } from "./sync-session.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const CHAIN = minedChain(500)
const SOON = CHAIN.at(-1)!.time + 60
const HEIGHTS = new Map(CHAIN.map((header, i) => [hex(hashOf(header)), i + 1]))
/** Serves its last blocks, with witnesses. */
const LIMITED = 0x408n

/** A node that has the first blocks of the chain and is not in its initial download. */
const behind = Effect.fnUntraced(function*(height: number) {
  const model = chainModel(SOON)
  for (const { bytes } of CHAIN.slice(0, height)) {
    yield* model.chain.acceptHeaders(bytes)
    yield* model.chain.acceptBlock(bytes, true)
  }
  model.initialBlockDownload = false
  return { model, session: yield* syncSession(model) }
})

describe("a peer that keeps only its last blocks", () => {
  it.effect("is asked for those alone, even where others are missing before them", () =>
    Effect.gen(function*() {
      const { model, session } = yield* behind(100)
      const pruned = session.add("outbound-full-relay", CHAIN, LIMITED)
      yield* session.pass(5_000)
      const asked = pruned.asked.map((hash) => HEIGHTS.get(hash)!).toSorted((a, b) => a - b)
      assert.deepStrictEqual([asked[0], asked.at(-1), asked.length], [500 - 285, 500, 286])
      assert.strictEqual(model.chain.tree.tip.height, 100)
      const whole = session.add("outbound-full-relay", CHAIN)
      yield* session.pass(5_000)
      assert.strictEqual(model.chain.tree.tip.height, 500)
      assert.strictEqual(whole.asked.length, 500 - 100 - 286)
      assert.isUndefined(pruned.peer.gone)
    }).pipe(Effect.scoped))

  it.effect("is enough for a node that is not far behind", () =>
    Effect.gen(function*() {
      const { model, session } = yield* behind(300)
      session.add("outbound-full-relay", CHAIN, LIMITED)
      yield* session.pass(5_000)
      assert.strictEqual(model.chain.tree.tip.height, 500)
    }).pipe(Effect.scoped))

  it.effect("sends headers, and no block, to a node in its initial download", () =>
    Effect.gen(function*() {
      const { model, session } = yield* behind(300)
      model.initialBlockDownload = true
      const pruned = session.add("outbound-full-relay", CHAIN, LIMITED)
      yield* session.pass(5_000)
      assert.deepStrictEqual([model.chain.tree.bestHeader.height, pruned.asked.length], [500, 0])
    }).pipe(Effect.scoped))

  it.effect("is asked for no block by a node that has none but the first, until a recent one came from elsewhere", () =>
    Effect.gen(function*() {
      const made = CHAIN.slice(0, 200)
      const model = chainModel(made.at(-1)!.time + 60)
      const session = yield* syncSession(model)
      const kinds = ["outbound-full-relay", "inbound", "manual"] as const
      const peers = kinds.map((kind) => session.add(kind, made, LIMITED))
      yield* session.pass(1_000)
      // A new block is reported by its header, or by its hash alone; the tip here is too old to fetch it at once.
      for (const { peer } of peers) {
        yield* session.give(peer, { command: "headers", headers: made.slice(0, 199) })
        yield* session.give(peer, { command: "headers", headers: made.slice(199) })
        yield* session.give(peer, {
          command: "inv",
          inventory: [{ type: InventoryType.BLOCK, hash: hashOf(made.at(-1)!) }]
        })
      }
      yield* session.pass(60_000)
      assert.deepStrictEqual([model.chain.tree.bestHeader.height, model.chain.tree.tip.height], [200, 0])
      assert.deepStrictEqual(peers.map(({ asked }) => asked.length), [0, 0, 0])
      yield* model.chain.acceptBlock(made[0]!.bytes, true)
      model.initialBlockDownload = false
      yield* session.pass(5_000)
      assert.strictEqual(model.chain.tree.tip.height, 200)
    }).pipe(Effect.scoped))
})

describe("a node that removes old blocks", () => {
  it.effect("names no block that it may have removed within the hour", () =>
    Effect.gen(function*() {
      const { model: { context } } = yield* behind(500)
      const named = (locator: Uint8Array, pruned: boolean): number => {
        const { chain } = context
        const peer = scriptedPeer(1, "inbound")
        serveInventory({ ...context, chain: { ...chain, state: () => ({ ...chain.state(), pruned }) } }, peer, {
          command: "getblocks",
          version: 70_016,
          locator: [locator],
          stop: new Uint8Array(32)
        })
        const [message] = peer.sent
        if (message === undefined) return 0
        assert.isTrue(message.command === "inv" && message.inventory.every(({ type }) => type === InventoryType.BLOCK))
        return message.command === "inv" ? message.inventory.length : -1
      }
      assert.strictEqual(named(GENESIS_HASH, false), 500)
      assert.strictEqual(named(GENESIS_HASH, true), 0)
      // Six blocks an hour: of the last 288 the first six are not named.
      assert.strictEqual(named(hashOf(CHAIN[500 - 282 - 1]!), true), 282)
      assert.strictEqual(named(hashOf(CHAIN[500 - 283 - 1]!), true), 0)
    }).pipe(Effect.scoped))
})
