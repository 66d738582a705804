import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { lanPeersSuffice } from "../../../src/p2p/sync/blocks/lan-peers.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { type Session, SETTINGS, syncSession } from "./sync-session.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { plainState } from "./plain-preferences.ts"

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

describe("near peers", () => {
  const NOW = 1_000

  /** Whether peers that differ from two that do by this are enough. */
  const isEnough = Effect.fnUntraced(function*(more: Partial<PeerSync> = {}, address?: ReadonlyArray<number>) {
    const model = chainModel(LATER)
    for (const { bytes } of CHAIN.slice(0, 10)) yield* model.chain.acceptHeaders(bytes)
    const sync = syncState(model.context, SETTINGS, plainState(() => true))
    const best = model.chain.tree.bestHeader
    madePeerSync(sync, "manual", { best })
    const other = madePeerSync(sync, "manual", { best, ...more })
    if (address !== undefined) other.peer.endpoint.address.bytes.set(address)
    return lanPeersSuffice(sync, unixMilliseconds(NOW))
  })

  it.effect("are enough when two have all that is missing, and neither rests", () =>
    Effect.gen(function*() {
      assert.isTrue(yield* isEnough())
      assert.isTrue(yield* isEnough({ pausedUntil: NOW }))
      assert.isTrue(yield* isEnough({}, [127, 0, 0, 1]))
      assert.isTrue(yield* isEnough({}, [192, 168, 7, 7]))
      assert.isFalse(yield* isEnough({ isPreferred: false }))
      assert.isFalse(yield* isEnough({ isLimited: true }))
      assert.isFalse(yield* isEnough({ best: undefined }))
      assert.isFalse(yield* isEnough({ pausedUntil: NOW + 1 }))
      assert.isFalse(yield* isEnough({}, [20, 0, 0, 1]))
    }))

  it.effect("with less work than the best header are not enough", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      for (const { bytes } of CHAIN.slice(0, 10)) yield* model.chain.acceptHeaders(bytes)
      const { bestHeader, nodes } = model.chain.tree
      for (const [best, isWhole] of [[bestHeader, true], [nodes[9]!, false]] as const) {
        const sync = syncState(model.context, SETTINGS, plainState(() => true))
        for (let i = 0; i < 2; i++) madePeerSync(sync, "manual", { best })
        assert.strictEqual(lanPeersSuffice(sync, unixMilliseconds(NOW)), isWhole)
      }
    }))
})

describe("blocks come from the own network", () => {
  it.effect("alone, where two peers there have all of them", () =>
    Effect.gen(function*() {
      const session = yield* syncSession(chainModel(LATER))
      const far = session.add("outbound-full-relay", CHAIN, undefined, FAR)
      const near = [session.add("manual", CHAIN), session.add("manual", CHAIN)]
      for (const each of [far, ...near]) each.rate = 20
      // No peer is asked before it has announced what it has.
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
