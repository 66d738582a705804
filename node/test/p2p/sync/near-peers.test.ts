import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { type Session, syncSession } from "./sync-session.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const CHAIN = minedChain(1_500)
const LATER = CHAIN.at(-1)!.time + 3 * 86_400
/** The first byte of an address in the internet. */
const FAR = 20

const isThere = ({ model: { chain: { tree } } }: Session): boolean => hex(tree.tip.hash) === hex(hashOf(CHAIN.at(-1)!))

const untilThere = Effect.fnUntraced(function*(session: Session) {
  for (let i = 0; i < 6_000 && !isThere(session); i++) yield* session.pass(100)
  assert.isTrue(isThere(session))
})

describe("blocks come from the own network", () => {
  it.effect("alone, where two peers there have all of them", () =>
    Effect.gen(function*() {
      const session = yield* syncSession(chainModel(LATER))
      const far = session.add("outbound-full-relay", CHAIN, undefined, FAR)
      const near = [session.add("manual", CHAIN), session.add("manual", CHAIN)]
      for (const each of [far, ...near]) each.rate = 20
      // Nobody is asked before it has told what it has.
      yield* session.pass(500)
      const before = far.asked.length
      yield* untilThere(session)
      assert.strictEqual(far.asked.length, before)
      assert.isTrue(near.every(({ asked }) => asked.length > 100))
    }).pipe(Effect.scoped))

  it.effect("not alone, where there is one such peer, or they have less", () =>
    Effect.gen(function*() {
      for (const chain of [CHAIN, CHAIN.slice(0, 700)]) {
        const session = yield* syncSession(chainModel(LATER))
        const far = session.add("outbound-full-relay", CHAIN, undefined, FAR)
        const near = [session.add("manual", CHAIN), ...chain === CHAIN ? [] : [session.add("manual", chain)]]
        for (const each of [far, ...near]) each.rate = 20
        yield* untilThere(session)
        assert.isAbove(far.asked.length, 100)
      }
    }).pipe(Effect.scoped))

  it.effect("and from elsewhere again, when they do not send them", () =>
    Effect.gen(function*() {
      const session = yield* syncSession(chainModel(LATER))
      const far = session.add("outbound-full-relay", CHAIN, undefined, FAR)
      for (const each of [session.add("manual", CHAIN), session.add("manual", CHAIN)]) each.sendsBlocks = false
      far.rate = 20
      yield* untilThere(session)
      assert.isAtLeast(far.asked.length, CHAIN.length / 2)
    }).pipe(Effect.scoped))
})
