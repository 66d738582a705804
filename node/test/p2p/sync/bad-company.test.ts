import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { type Session, syncSession } from "./sync-session.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const CHAIN = minedChain(4_000)
const LATER = CHAIN.at(-1)!.time + 3 * 86_400
/** More headers than the true chain has, on top of half of it; their first block is invalid. */
const LIE = [...CHAIN.slice(0, 2_000), ...minedChain(2_200, 13, hashOf(CHAIN[1_999]!), CHAIN[1_999]!.time)]
/** Blocks in a tick. */
const GOOD_RATE = 10
const STEP = 100
const PATIENCE = 600_000

const isThere = ({ model: { chain: { tree } } }: Session): boolean => hex(tree.tip.hash) === hex(hashOf(CHAIN.at(-1)!))

/** Milliseconds until the true chain is there. */
const timeToSync = Effect.fnUntraced(function*(session: Session) {
  let passed = 0
  while (!isThere(session) && passed < PATIENCE) {
    yield* session.pass(STEP)
    passed += STEP
  }
  return passed
})

describe("a sync in bad company", () => {
  it.effect(
    "takes at most 1.3 times as long as from the good peer alone; the liar is discouraged, the staller replaced",
    () =>
      Effect.gen(function*() {
        const alone = yield* syncSession(chainModel(LATER))
        alone.add("outbound-full-relay", CHAIN).rate = GOOD_RATE
        const best = yield* timeToSync(alone)
        assert.isBelow(best, PATIENCE)

        const model = chainModel(LATER)
        model.invalid.add(hex(hashOf(LIE[2_000]!)))
        const session = yield* syncSession(model)
        const liar = session.add("outbound-full-relay", LIE)
        const slow = session.add("outbound-full-relay", CHAIN)
        const staller = session.add("outbound-full-relay", CHAIN)
        const good = session.add("outbound-full-relay", CHAIN)
        liar.rate = GOOD_RATE
        slow.rate = 1
        staller.sendsBlocks = false
        good.rate = GOOD_RATE
        const passed = yield* timeToSync(session)
        assert.isAtMost(passed, best * 1.3)
        assert.deepStrictEqual(liar.peer.gone, { reason: "bad-txns", discouraged: true })
        assert.isDefined(staller.peer.gone)
        assert.isFalse(staller.peer.gone?.discouraged)
        assert.isUndefined(good.peer.gone)
      }).pipe(Effect.scoped)
  )
})
