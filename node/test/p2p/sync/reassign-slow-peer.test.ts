import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chainModel, minedChain } from "./chain-model.ts"
import { type ChainPeer, syncSession } from "./sync-session.ts"

/** All of it within the window: nothing shows by that that it is full. */
const CHAIN = minedChain(600)
const LATER = CHAIN.at(-1)!.time + 3 * 86_400

/** Passes time until the chain is there; milliseconds. */
const timeToSync = Effect.fnUntraced(
  function*(add: (session: Effect.Success<ReturnType<typeof syncSession>>) => ReadonlyArray<ChainPeer>) {
    const model = chainModel(LATER)
    const session = yield* syncSession(model)
    const peers = add(session)
    let passed = 0
    while (model.chain.tree.tip.height < CHAIN.length && passed < 60_000) {
      yield* session.pass(100)
      passed += 100
    }
    return { passed, peers, session }
  }
)

describe("what one peer owes", () => {
  it.effect(
    "is fetched by an idle peer when the other sends nothing, which is disconnected",
    () =>
      Effect.gen(function*() {
        const { passed, peers: [staller, good], session } = yield* timeToSync((into) => {
          const all = [into.add("outbound-full-relay", CHAIN), into.add("outbound-full-relay", CHAIN)]
          all[0]!.sendsBlocks = false
          return all
        })
        assert.isBelow(passed, 2_500)
        assert.isAbove(staller!.asked.length, 0)
        assert.isUndefined(good!.peer.gone)
        yield* session.pass(3_000)
        assert.deepStrictEqual(staller!.peer.gone, { reason: "stalls the block download", discouraged: false })
      }).pipe(Effect.scoped)
  )

  it.effect(
    "is fetched by one that has nothing to do when it is much slower, and may come late",
    () =>
      Effect.gen(function*() {
        const { passed, peers: [slow, good], session } = yield* timeToSync((into) => {
          const all = [into.add("outbound-full-relay", CHAIN), into.add("outbound-full-relay", CHAIN)]
          all[0]!.rate = 0.25
          return all
        })
        assert.isBelow(passed, 4_000)
        yield* session.pass(10_000)
        assert.deepStrictEqual([slow!.peer.gone, good!.peer.gone], [undefined, undefined])
      }).pipe(Effect.scoped)
  )

  it.effect("is waited for when all are as slow: then it is our own line", () =>
    Effect.gen(function*() {
      const { peers } = yield* timeToSync((into) => {
        const all = [0, 1, 2].map(() => into.add("outbound-full-relay", CHAIN))
        all.forEach((each, i) => void (each.rate = 1 + i))
        return all
      })
      const asked = peers.flatMap((each) => each.asked)
      assert.strictEqual(asked.length, new Set(asked).size)
      for (const { peer } of peers) assert.isUndefined(peer.gone)
    }).pipe(Effect.scoped))
})
