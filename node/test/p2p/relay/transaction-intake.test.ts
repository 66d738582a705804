import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type { P2pContext } from "../../../src/p2p/p2p-context.ts"
import { scanTransaction } from "../../../src/p2p/relay/scan-transaction.ts"
import { seenTransactions } from "../../../src/p2p/relay/already-have-tx.ts"
import { transactionIntake } from "../../../src/p2p/relay/transaction-intake.ts"
import { txRequestTracker } from "../../../src/p2p/relay/tx-request-tracker.ts"
import { hexOf } from "../../../src/hex.ts"
import { seededRandom } from "../../../src/p2p/seeded-random.ts"
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
      yield* intake.take(one, 2)
      assert.deepStrictEqual([judged, orphans.peersWithWork()], [["first sight 11", "first sight 1"], [1]])
      open.closeUnsafe()
      const taking = yield* Effect.forkChild(intake.take(scanned(3), 1), { startImmediately: true })
      assert.isFalse(yield* intake.tryOrphans)
      assert.deepStrictEqual(judged.slice(2), ["first sight 3"])
      yield* open.open
      assert.isTrue(yield* Fiber.join(taking))
      assert.deepStrictEqual([judged.slice(3), orphans.peersWithWork()], [["again 11"], []])
      // The message is over: orphans of that peer are tried for messages of others.
      yield* intake.take(second, 1)
      yield* intake.take(other, 2)
      assert.isTrue(yield* intake.tryOrphans)
      assert.deepStrictEqual(judged.slice(4), ["first sight 12", "first sight 2", "again 12"])
      assert.isFalse(yield* intake.tryOrphans)
    }))
})
