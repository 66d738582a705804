import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { acceptNewHeaders } from "../../../src/engine/intake/accept-new-headers.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const HEADERS = plantChain(plantedRoot(), 4).map(({ bytes }) => bytes.slice(0, 80))

const started = Effect.fnUntraced(function*(notifiesTips: boolean) {
  const news: Array<EngineNotification> = []
  const { chain } = yield* testEngine({
    directory: yield* temporaryDirectory,
    mockTime: PLANTED_AT,
    options: { notifiesTips },
    news: (each) => news.push(each)
  })
  news.length = 0
  const tagged = (tag: EngineNotification["_tag"]) => news.filter(({ _tag }) => _tag === tag)
  return {
    chain,
    take: (...headers: ReadonlyArray<Uint8Array>) => acceptNewHeaders(chain, concatBytes(headers)),
    tagged
  }
})

describe("headers of a peer", () => {
  it.live("are taken in order, and the state is reported once where one is new", () =>
    Effect.gen(function*() {
      const { chain, tagged, take } = yield* started(true)
      assert.deepStrictEqual(take(HEADERS[0]!, HEADERS[1]!), { accepted: 2, rejection: undefined })
      assert.deepStrictEqual([chain.tree.bestHeader.height, tagged("State").length], [2, 1])
      assert.deepStrictEqual(take(HEADERS[0]!, HEADERS[1]!), { accepted: 2, rejection: undefined })
      assert.lengthOf(tagged("State"), 1)
      assert.deepStrictEqual(take(HEADERS[2]!, HEADERS[3]!.subarray(0, 79)), { accepted: 1, rejection: undefined })
      assert.deepStrictEqual([chain.tree.bestHeader.height, tagged("Refused").length], [3, 0])
    }))

  it.live("are taken up to the first that is rejected, which is reported where each tip is", () =>
    Effect.gen(function*() {
      for (const notifiesTips of [true, false]) {
        const { chain, tagged, take } = yield* started(notifiesTips)
        const bad = HEADERS[1]!.slice()
        bad[72] = 0
        const { accepted, rejection } = take(HEADERS[0]!, bad, HEADERS[2]!)
        assert.deepStrictEqual([accepted, chain.tree.bestHeader.height], [1, 1])
        assert.isDefined(rejection)
        const refused = tagged("Refused") as ReadonlyArray<Extract<EngineNotification, { readonly _tag: "Refused" }>>
        assert.deepStrictEqual(refused.map(({ why }) => why), notifiesTips ? [{ what: "header", rejection }] : [])
      }
    }))
})
