import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import type { Header } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { plainPreferences } from "./plain-preferences.ts"
import { syncSession } from "./sync-session.ts"

const CHAIN = minedChain(12)
const NOW = CHAIN.at(-1)!.time + 60

/** A node that has the first ten blocks, and a peer with the same. */
const caughtUp = Effect.fnUntraced(function*(servesCompact = true) {
  const model = chainModel(NOW)
  model.initialBlockDownload = false
  for (const { bytes } of CHAIN.slice(0, 10)) {
    yield* model.chain.acceptHeaders(bytes)
    yield* model.chain.acceptBlock(bytes, true)
  }
  const session = yield* syncSession(model, {}, plainPreferences(() => true, () => servesCompact))
  const other = session.add("inbound", CHAIN.slice(0, 10))
  yield* session.pass(200)
  other.peer.sent.length = 0
  /** `rest`: a number, no short ids and no transactions. */
  const compact = (header: Header, rest: Uint8Array = new Uint8Array(10)) =>
    session.sync.part.raw!.cmpctblock!(other.peer, concatBytes([header.bytes, rest]))
  return { model, session, other, compact, commands: () => other.peer.sent.map(({ command }) => command) }
})

describe("what was not requested", () => {
  it.effect("a compact block of a peer that never said that it serves them is ignored", () =>
    Effect.gen(function*() {
      const { compact, model } = yield* caughtUp(false)
      yield* Result.getOrThrow(compact(CHAIN[10]!))
      assert.isUndefined(nodeOf(model.chain.tree, hashOf(CHAIN[10]!)))
    }).pipe(Effect.scoped))

  it.effect("of a compact block the header is used and the block is fetched, whatever transactions it has", () =>
    Effect.gen(function*() {
      const { commands, compact, other, session } = yield* caughtUp()
      yield* Result.getOrThrow(compact(CHAIN[10]!))
      yield* session.pass(100)
      assert.deepStrictEqual(commands(), ["getdata"])
      const [message] = other.peer.sent
      assert.isTrue(message?.command === "getdata" && message.inventory.length === 1)
    }).pipe(Effect.scoped))

  it.effect("a block that is named, and whose header is here, is fetched at once", () =>
    Effect.gen(function*() {
      const { commands, model, other, session } = yield* caughtUp()
      yield* model.chain.acceptHeaders(CHAIN[10]!.bytes)
      session.sync.blocksAnnounced(other.peer, [hashOf(CHAIN[10]!)])
      assert.deepStrictEqual(commands(), ["getdata"])
      session.sync.blocksAnnounced(other.peer, [hashOf(CHAIN[9]!)])
      assert.deepStrictEqual(commands(), ["getdata"])
    }).pipe(Effect.scoped))

  it.effect.each<readonly [string, Uint8Array]>([
    ["cut short", new Uint8Array(7)],
    ["with a count of short ids that are not there", Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 1, 0)],
    ["with a count that is not in its shortest form", Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 253, 0, 0, 0)],
    ["of 255s", new Uint8Array(30).fill(255)]
  ])("a compact block %s has no effect, and its header none either", ([, rest]) =>
    Effect.gen(function*() {
      const { commands, compact, model, other, session } = yield* caughtUp()
      assert.isTrue(Result.isFailure(compact(CHAIN[10]!, rest)))
      // One that stands on nothing would be asked about if it could be read.
      assert.isTrue(Result.isFailure(compact(CHAIN[11]!, rest)))
      yield* session.pass(100)
      assert.deepStrictEqual(commands(), [])
      assert.isUndefined(nodeOf(model.chain.tree, hashOf(CHAIN[10]!)))
      assert.isUndefined(other.peer.gone)
    }).pipe(Effect.scoped))

  it.effect("headers that stand on nothing are no answer to the request that is awaited", () =>
    Effect.gen(function*() {
      const { commands, other, session } = yield* caughtUp()
      const stray = { command: "headers" as const, headers: [CHAIN[11]!] }
      yield* session.give(other.peer, stray)
      yield* session.give(other.peer, stray)
      assert.deepStrictEqual(commands(), ["getheaders"])
    }).pipe(Effect.scoped))
})
