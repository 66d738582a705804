import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import type { ScriptedPeer } from "../sync/chain-model.ts"
import { chainModel, hashOf, minedChain } from "../sync/chain-model.ts"
import { syncSession } from "../sync/sync-session.ts"

const CHAIN = minedChain(20)
const NOW = CHAIN.at(-1)!.time + 60
/** Leaves the chain behind the tenth block, with three blocks. */
const BRANCH = [...CHAIN.slice(0, 10), ...minedChain(3, 7, hashOf(CHAIN[9]!), CHAIN[9]!.time)]
/** Lacks the last five blocks alone. */
const RACE = [...CHAIN.slice(0, 15), ...minedChain(2, 9, hashOf(CHAIN[14]!), CHAIN[14]!.time)]

const caughtUp = Effect.fnUntraced(function*() {
  const model = chainModel(NOW)
  model.initialBlockDownload = false
  for (const { bytes } of CHAIN) {
    yield* model.chain.acceptHeaders(bytes)
    yield* model.chain.acceptBlock(bytes, true)
  }
  const session = yield* syncSession(model)
  return { model, session }
})

const wasDiscouraged = ({ gone }: ScriptedPeer): boolean => gone?.discouraged === true

const MINUTE = 60_000

describe("peers on a branch with less work", () => {
  it.effect("outbound ones give up their place without being discouraged, and others stay", () =>
    Effect.gen(function*() {
      const { session } = yield* caughtUp()
      const kinds = ["outbound-full-relay", "block-relay-only", "manual", "inbound"] as const
      const added = kinds.map((kind) => session.add(kind, BRANCH))
      const followed = session.add("outbound-full-relay", CHAIN)
      yield* session.pass(MINUTE)
      assert.deepStrictEqual(added.map(({ peer }) => peer.isGone), [false, false, false, false])
      yield* session.pass(5 * MINUTE)
      assert.deepStrictEqual(added.map(({ peer }) => peer.isGone), [true, true, false, false])
      assert.isFalse(added.some(({ peer }) => wasDiscouraged(peer)))
      assert.isFalse(followed.peer.isGone)
      const { foreign } = session.sync.state
      assert.deepStrictEqual(foreign.met, { headers: 0, branch: 4 })
      assert.isTrue(foreign.has(added[0]!.peer.endpoint.address))
      assert.isFalse(foreign.has(followed.peer.endpoint.address))
      assert.include(
        foreign.notice() ?? "",
        "A minority chain has left this one behind height 10: it has 3 blocks since"
      )
      assert.include(
        foreign.notice() ?? "",
        "less work than the 10 here. This node follows the valid chain with the most work"
      )
    }).pipe(Effect.scoped))

  it.effect("are none in a race for the tip, and none that only showed the branch once", () =>
    Effect.gen(function*() {
      const { session } = yield* caughtUp()
      const racing = session.add("outbound-full-relay", RACE)
      const changed = session.add("outbound-full-relay", BRANCH)
      yield* session.pass(5_000)
      // Before it is asked whether it still follows what it showed.
      Object.assign(changed, {
        chain: CHAIN,
        byHash: new Map(CHAIN.map((h) => [Buffer.from(hashOf(h)).toString("hex"), h]))
      })
      yield* session.pass(6 * MINUTE)
      assert.deepStrictEqual([racing.peer.isGone, changed.peer.isGone], [false, false])
      assert.deepStrictEqual(session.sync.state.foreign.met, { headers: 0, branch: 0 })
      assert.isUndefined(session.sync.state.foreign.notice())
    }).pipe(Effect.scoped))
})

describe("headers of another format", () => {
  const foreign = (): Uint8Array => {
    const header = new Uint8Array(164).fill(0xa1)
    header.set(hashOf(CHAIN.at(-1)!), 4)
    // No block has this target on regtest, so that the header has no work whatever its hash is.
    header.set([0x01, 0, 0, 0x01], 72)
    return header
  }
  const payloads = {
    headers: concatBytes([Uint8Array.of(1), foreign(), Uint8Array.of(0)]),
    cmpctblock: concatBytes([foreign(), new Uint8Array(20)]),
    block: concatBytes([foreign(), new Uint8Array(20)])
  }

  it.effect.each(["headers", "cmpctblock", "block"] as const)(
    "in %s disconnect a peer, and discourage none",
    (command) =>
      Effect.gen(function*() {
        const { session } = yield* caughtUp()
        const { guards } = session.sync.part
        const inbound = session.add("inbound", CHAIN)
        const manual = session.add("manual", CHAIN)
        for (const { peer } of [inbound, manual, manual]) yield* guards![command]!(peer, payloads[command])!
        assert.deepStrictEqual(inbound.peer.gone, {
          reason: "it follows a chain with headers of another format",
          discouraged: false
        })
        assert.isFalse(manual.peer.isGone)
        assert.deepStrictEqual(session.sync.state.foreign.met, { headers: 2, branch: 0 })
        assert.include(session.sync.state.foreign.notice() ?? "", "a chain with headers of another format")
      }).pipe(Effect.scoped)
  )

  it.effect("with work are judged as any others, and so is all before BIP65", () =>
    Effect.gen(function*() {
      const { session } = yield* caughtUp()
      const { peer } = session.add("inbound", CHAIN)
      for (const { bytes } of CHAIN) {
        assert.isUndefined(session.sync.part.guards!.block!(peer, concatBytes([bytes, new Uint8Array(10)])))
      }
      const young = yield* syncSession(chainModel(NOW))
      assert.isUndefined(young.sync.part.guards!.block!(young.add("inbound", CHAIN).peer, payloads.block))
    }).pipe(Effect.scoped))
})
