import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { syncSession } from "./sync-session.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const CHAIN = minedChain(60)
const SOON = CHAIN.at(-1)!.time + 60
const [NOTHING, WITNESS, WHOLE] = [0n, 8n, 9n]

/** A node that has the first blocks of the chain, and one inbound peer, which announces headers without being asked. */
const announced = Effect.fnUntraced(function*(height: number, services: bigint) {
  const model = chainModel(SOON)
  for (const { bytes } of CHAIN.slice(0, height)) {
    yield* model.chain.acceptHeaders(bytes)
    yield* model.chain.acceptBlock(bytes, true)
  }
  model.initialBlockDownload = false
  const session = yield* syncSession(model)
  const from = session.add("inbound", CHAIN, services)
  yield* session.give(from.peer, { command: "headers", headers: CHAIN.slice(height) })
  yield* session.pass(1_000)
  return { model, from }
})

const asked = (heights: ReadonlyArray<number>): ReadonlyArray<string> =>
  heights.map((height) => hex(hashOf(CHAIN[height - 1]!)))

describe("direct fetch of announced headers near the tip", () => {
  it.effect("asks a peer for the blocks that offers witnesses and nothing else", () =>
    Effect.gen(function*() {
      const { from, model } = yield* announced(57, WITNESS)
      assert.deepStrictEqual(from.asked, asked([58, 59, 60]))
      assert.strictEqual(model.chain.tree.tip.height, 60)
    }).pipe(Effect.scoped))

  it.effect("asks no peer for blocks with witnesses that offers none", () =>
    Effect.gen(function*() {
      const { from } = yield* announced(57, NOTHING)
      assert.deepStrictEqual(from.asked, [])
    }).pipe(Effect.scoped))

  it.effect("asks for the first sixteen of seventeen, and for none of more; the others come with the download from the peer that serves the chain", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* announced(42, WITNESS)).from.asked, [])
      assert.deepStrictEqual(
        (yield* announced(43, WITNESS)).from.asked,
        asked(Array.from({ length: 16 }, (_, i) => 44 + i))
      )
      assert.strictEqual((yield* announced(42, WHOLE)).from.asked.length, 18)
    }).pipe(Effect.scoped))
})
