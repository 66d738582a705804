import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import { scanTransaction } from "../../../src/p2p/relay/scan-transaction.ts"
import { seenTransactions } from "../../../src/p2p/relay/already-have-tx.ts"
import { transactionIntake } from "../../../src/p2p/relay/transaction-intake.ts"
import { txRequestTracker } from "../../../src/p2p/relay/tx-request-tracker.ts"
import { hexOf } from "../../../src/hex.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { unconfirmedTransaction } from "./pool-transaction.ts"

const scanned = (salt: number, parent?: Uint8Array) =>
  scanTransaction(unconfirmedTransaction(salt, parent), testCrypto)!

/** An intake whose engine takes everything but children of parents that it has not taken. */
const made = Effect.fnUntraced(function*(parents: ReadonlyMap<string, Uint8Array>) {
  const taken = new Set<string>()
  const judged: Array<string> = []
  const open = yield* Latch.make(true)
  const acceptTransaction = (bytes: Uint8Array, origin: string) =>
    Effect.gen(function*() {
      const { txid, wtxid } = scanTransaction(bytes, testCrypto)!
      judged.push(`${origin} ${bytes.at(-4)}`)
      yield* open.await
      const parent = parents.get(hexOf(txid))
      if (parent === undefined || taken.has(hexOf(parent))) {
        taken.add(hexOf(txid))
        return { _tag: "Accepted", wtxid, replaced: [] }
      }
      const rejection = { reason: "bad-txns-inputs-missingorspent", what: "missing inputs" }
      return { _tag: "Rejected", wtxid, missing: [parent], rejection }
    })
  const context = {
    chain: { mempool: { has: () => false, find: () => undefined }, acceptTransaction },
    crypto: testCrypto,
    environment: { random: seededRandom(1) },
    notify: {}
  } as unknown as P2pContext
  const settled = seenTransactions(context)
  const intake = transactionIntake({
    context,
    requests: txRequestTracker(seededRandom(1)),
    settled,
    wantParents: () => true,
    mayBringPackages: () => false,
    hasParents: () => undefined,
    scope: yield* Effect.scope,
    orphansWait: () => undefined,
    log: () => undefined
  })
  return { intake, judged, open, orphans: settled.orphans }
})

describe("the orphans of a peer", () => {
  it.effect("are not tried while its message is handled: after that they are, before its next one", () =>
    Effect.gen(function*() {
      const [one, other] = [scanned(1), scanned(2)]
      const [child, second] = [scanned(11, one.txid), scanned(12, other.txid)]
      const { intake, judged, open, orphans } = yield* made(
        new Map([[hexOf(child.txid), one.txid], [hexOf(second.txid), other.txid]])
      )
      yield* intake.take(child, 1)
      yield* intake.take(second, 1)
      open.closeUnsafe()
      const taking = yield* Effect.forkChild(intake.take(scanned(3), 1), { startImmediately: true })
      const parents = yield* Effect.forkChild(intake.take(one, 2), { startImmediately: true })
      assert.isFalse(yield* intake.tryOrphans)
      assert.deepStrictEqual(judged, ["first sight 11", "first sight 12", "first sight 3", "first sight 1"])
      yield* open.open
      assert.isTrue(yield* Fiber.join(taking))
      assert.isTrue(yield* Fiber.join(parents))
      assert.deepStrictEqual([judged.slice(4), orphans.peersWithWork()], [["again 11"], []])
      // The message is over: orphans of that peer are tried for messages of others.
      yield* intake.take(other, 2)
      assert.deepStrictEqual(judged.slice(5), ["first sight 2", "again 12"])
      assert.isFalse(yield* intake.tryOrphans)
    }))

  it.effect("that are being judged already are waited for before the next message of another peer", () =>
    Effect.gen(function*() {
      const parent = scanned(1)
      const child = scanned(11, parent.txid)
      const { intake, judged, open } = yield* made(new Map([[hexOf(child.txid), parent.txid]]))
      yield* intake.take(child, 1)
      yield* intake.takeStem(parent, 2)
      open.closeUnsafe()
      // The node tries orphans in the background, too.
      const trying = yield* Effect.forkChild(intake.tryOrphans, { startImmediately: true })
      assert.deepStrictEqual(judged.slice(1), ["again 1", "again 11"])
      let isOver = false
      const other = yield* Effect.forkChild(
        Effect.tap(intake.tryOrphans, () => Effect.sync(() => void (isOver = true))),
        { startImmediately: true }
      )
      for (let i = 0; i < 20; i++) yield* Effect.yieldNow
      assert.isFalse(isOver)
      yield* open.open
      assert.isTrue(yield* Fiber.join(trying))
      assert.isFalse(yield* Fiber.join(other))
    }))

  it.effect("are tried, one of each peer, before the next message of another peer that sent their parent", () =>
    Effect.gen(function*() {
      const parent = scanned(1)
      const [first, second, third] = [scanned(11, parent.txid), scanned(12, parent.txid), scanned(13, parent.txid)]
      const { intake, judged, orphans } = yield* made(
        new Map([first, second, third].map(({ txid }) => [hexOf(txid), parent.txid]))
      )
      yield* intake.take(first, 1)
      yield* intake.take(second, 1)
      yield* intake.take(third, 2)
      assert.lengthOf(judged.splice(0), 3)
      yield* intake.take(parent, 3)
      assert.sameMembers(judged, ["first sight 1", "again 13", judged.includes("again 11") ? "again 11" : "again 12"])
      assert.deepStrictEqual(orphans.peersWithWork(), [1])
      assert.isTrue(yield* intake.tryOrphans)
      assert.sameMembers(judged, ["first sight 1", "again 11", "again 12", "again 13"])
    }))
})
