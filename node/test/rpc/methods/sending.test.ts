import { assert, describe, it } from "@effect/vitest"
import { transactionId, witnessTransactionId } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { TransactionOutcome } from "../../../src/engine/api/mempool-calls.ts"
import { type EngineAnswers, hashOf, methodNode, shownHash } from "../method-node.ts"
import { coinbase, crypto, idOf, payment, plain } from "./small-block.ts"

const digits = ({ bytes }: { readonly bytes: Uint8Array }): string => Buffer.from(bytes).toString("hex")
const HEX = digits(plain)
const ID = idOf(plain)
const txid = transactionId(plain, crypto)
const wtxidOf = (tx: typeof plain): string => Buffer.from(witnessTransactionId(tx, crypto)).reverse().toString("hex")

/** The virtual size of {@link plain}, and what it may pay at most by default, a tenth of a bitcoin for a thousand. */
const SIZE = plain.bytes.length
const MOST = Math.ceil(10_000_000 * SIZE / 1_000)

const accepted = (fee: bigint): TransactionOutcome => ({
  _tag: "Accepted",
  txid,
  wtxid: txid,
  fee,
  weight: 4 * SIZE,
  virtualSize: SIZE,
  feerate: { fee, size: SIZE },
  feerateOf: [hashOf(4)],
  replaced: [{ txid: hashOf(2), bytes: new Uint8Array() }, { txid: hashOf(1), bytes: new Uint8Array() }]
})
const rejected = (what: string, debug?: string): TransactionOutcome => ({
  _tag: "Rejected",
  txid,
  wtxid: txid,
  rejection: { reason: "no", debug, what } as never,
  missing: []
})
const inMempool: TransactionOutcome = { _tag: "InMempool", txid, wtxid: txid, fee: 50n, virtualSize: SIZE }
const otherWitness: TransactionOutcome = { _tag: "OtherWitness", txid, wtxid: txid, inMempool: hashOf(6) }

describe("sendrawtransaction", () => {
  /** What {@link plain} spends, of so much value; its own outputs are not there. */
  const spending = (value: bigint | undefined, own = 0): EngineAnswers => ({
    mempoolTransaction: () => undefined,
    markUnbroadcast: () => true,
    acceptTransaction: () => accepted(1n),
    testTransaction: () => accepted(1n),
    outputs: ({ outpoints }) => ({
      tip: hashOf(7),
      outputs: outpoints.map((_: unknown, i: number) =>
        i < 2
          ? own === 0 ? undefined : { value: 1n, confirmations: own - 1 }
          : value === undefined
          ? undefined
          : { value, confirmations: 5 }
      )
    })
  })
  const names = (calls: ReadonlyArray<readonly [string, unknown]>) => calls.map(([name]) => name)

  it.effect("gives it to the mempool and marks it as one of this node's user", () =>
    Effect.gen(function*() {
      const { calls, text } = methodNode({ answers: spending(207n) })
      assert.strictEqual(yield* text("sendrawtransaction", HEX), `"${ID}"`)
      assert.deepStrictEqual(names(calls), ["outputs", "mempoolTransaction", "acceptTransaction", "markUnbroadcast"])
      assert.deepStrictEqual(calls[0]![1], {
        outpoints: [{ txid, vout: 0 }, { txid, vout: 1 }, { txid: hashOf(3), vout: 1 }]
      })
      assert.deepStrictEqual(calls[1]![1], { id: txid, kind: "txid" })
      assert.deepStrictEqual(calls[2]![1], { bytes: new Uint8Array(plain.bytes) })
      assert.deepStrictEqual(calls[3]![1], { txid })
    }))

  it.effect("asks what it pays only where that is not known, or too much, and refuses what is above the limit", () =>
    Effect.gen(function*() {
      const sent = (value: bigint | undefined, fee: bigint, ...params: ReadonlyArray<unknown>) => {
        const { calls, text } = methodNode({ answers: { ...spending(value), testTransaction: () => accepted(fee) } })
        return Effect.map(
          text("sendrawtransaction", HEX, ...params),
          (said) => [said, names(calls).includes("testTransaction")]
        )
      }
      const done = `"${ID}"`
      const refused = "-25 Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)"
      const most = BigInt(MOST)
      assert.deepStrictEqual(yield* sent(107n + most, 0n), [done, false])
      assert.deepStrictEqual(yield* sent(108n + most, most + 1n), [refused, true])
      assert.deepStrictEqual(yield* sent(108n + most, most), [done, true])
      assert.deepStrictEqual(yield* sent(undefined, most + 1n), [refused, true])
      assert.deepStrictEqual(yield* sent(undefined, most), [done, true])
      assert.deepStrictEqual(yield* sent(10n ** 12n, 10n ** 12n, 0), [done, false])
      assert.deepStrictEqual(yield* sent(10n ** 12n, 10n ** 12n, "0.99999999"), [refused, true])
      const large = "-8 Fee rates larger than or equal to 1BTC/kvB are not accepted"
      assert.deepStrictEqual(yield* sent(1n, 1n, 1), [large, false])
      const known = { ...spending(108n + most), mempoolTransaction: () => ({ bytes: plain.bytes }) }
      assert.strictEqual(yield* methodNode({ answers: known }).text("sendrawtransaction", HEX), done)
    }))

  it.effect("says why it was rejected, also where it would pay too much besides", () =>
    Effect.gen(function*() {
      const refused = (outcome: TransactionOutcome, value: bigint) => {
        const answers = { ...spending(value), acceptTransaction: () => outcome, testTransaction: () => outcome }
        return methodNode({ answers }).text("sendrawtransaction", HEX)
      }
      for (const value of [207n, 10n ** 12n]) {
        assert.strictEqual(yield* refused(rejected("missing inputs"), value), "-25 no")
        assert.strictEqual(yield* refused(rejected("policy", "since so"), value), "-26 no, since so")
      }
      const { calls, text } = methodNode({ answers: { ...spending(207n), acceptTransaction: () => inMempool } })
      assert.strictEqual(yield* text("sendrawtransaction", HEX), `"${ID}"`)
      assert.notInclude(names(calls), "markUnbroadcast")
      const confirmed = methodNode({ answers: spending(207n, 2) })
      assert.strictEqual(
        yield* confirmed.text("sendrawtransaction", HEX),
        "-27 Transaction outputs already in utxo set"
      )
      assert.strictEqual(yield* methodNode({ answers: spending(207n, 1) }).text("sendrawtransaction", HEX), `"${ID}"`)
    }))

  it.effect("lets no output burn more than was allowed, which is nothing unless it was", () =>
    Effect.gen(function*() {
      const burning = digits(payment).replace("84030000000000000152", "8403000000000000016a")
      const node = methodNode({ answers: { ...spending(undefined), testTransaction: () => accepted(0n) } })
      const burns = "-25 Unspendable output exceeds maximum configured by user (maxburnamount)"
      assert.strictEqual(yield* node.text("sendrawtransaction", burning), burns)
      assert.strictEqual(yield* node.text("sendrawtransaction", burning, 0, "0.00000899"), burns)
      assert.match(yield* node.text("sendrawtransaction", burning, 0, "0.000009"), /^"/)
      assert.strictEqual(yield* node.text("sendrawtransaction", HEX, 0, "x"), "-3 Invalid amount")
      assert.strictEqual(
        yield* node.text("sendrawtransaction", "00"),
        "-22 TX decode failed. Make sure the tx has at least one input."
      )
    }))

  it.effect("announces one that is in the mempool once more", () =>
    Effect.gen(function*() {
      const announced: Array<unknown> = []
      const peers = () => ({ announceTransaction: (id: unknown) => void announced.push(id) })
      const known = { ...spending(207n), mempoolTransaction: () => ({ bytes: plain.bytes }) }
      const { calls, text } = methodNode({ answers: known, more: { peers } })
      assert.strictEqual(yield* text("sendrawtransaction", HEX), `"${ID}"`)
      assert.deepStrictEqual([announced, names(calls)], [[txid], ["outputs", "mempoolTransaction"]])
    }))

  it.effect("goes through private broadcast alone where that is on, judged before, and fails where it cannot", () =>
    Effect.gen(function*() {
      const sent = (
        parts: { readonly isReachable?: boolean; readonly full?: boolean; readonly outcome?: TransactionOutcome }
      ) => {
        const begun: Array<unknown> = []
        const privateBroadcast = {
          isReachable: () => parts.isReachable ?? true,
          begin: (transaction: unknown) => {
            begun.push(transaction)
            return parts.full === true ? "full" : "begun"
          }
        }
        const { calls, text } = methodNode({
          answers: { ...spending(207n), testTransaction: () => parts.outcome ?? accepted(1n) },
          more: { broadcastsPrivately: true, peers: () => ({ privateBroadcast }) }
        })
        return Effect.map(
          text("sendrawtransaction", HEX),
          (said) => [said.slice(0, 40), begun.length, names(calls)] as const
        )
      }
      const judged = ["outputs", "mempoolTransaction", "testTransaction"]
      assert.deepStrictEqual(yield* sent({}), [`"${ID}"`.slice(0, 40), 1, judged])
      assert.deepStrictEqual(yield* sent({ outcome: rejected("policy") }), ["-26 no", 0, judged])
      assert.deepStrictEqual(yield* sent({ full: true }), ["-37 Private broadcast queue is full", 1, judged])
      const unreachable = "-1 -privatebroadcast is enabled, but none of the Tor".slice(0, 40)
      assert.deepStrictEqual(yield* sent({ isReachable: false }), [unreachable, 0, []])
      const { text } = methodNode({ more: { broadcastsPrivately: true, peers: () => ({}) } })
      assert.match(yield* text("sendrawtransaction", HEX), /^-32601 Private broadcast is not enabled/)
    }))
})

describe("testmempoolaccept", () => {
  it.effect("says of one what would become of it, and whether it pays more than the limit", () =>
    Effect.gen(function*() {
      const judged = (outcome: TransactionOutcome, ...params: ReadonlyArray<unknown>) =>
        Effect.map(
          methodNode({ answers: { testTransaction: () => outcome } }).show("testmempoolaccept", [HEX], ...params),
          ([{ txid: id, wtxid, ...rest }]) => {
            assert.deepStrictEqual([id, wtxid], [ID, ID])
            return rest
          }
        )
      const most = BigInt(MOST)
      assert.deepStrictEqual(yield* judged(accepted(50n)), {
        allowed: true,
        vsize: SIZE,
        fees: {
          base: 5e-7,
          "effective-feerate": Math.trunc(50_000 / SIZE) / 1e8,
          "effective-includes": [shownHash(4)]
        }
      })
      assert.isTrue((yield* judged(accepted(most))).allowed)
      const rich = { allowed: false, "reject-reason": "max-fee-exceeded" }
      assert.deepStrictEqual(yield* judged(accepted(most + 1n)), rich)
      assert.isTrue((yield* judged(accepted(most + 1n), 0)).allowed)
      const refused = (reason: string, details?: string) => ({
        allowed: false,
        "reject-reason": reason,
        ...details !== undefined && { "reject-details": details }
      })
      assert.deepStrictEqual(yield* judged(rejected("missing inputs")), refused("missing-inputs"))
      assert.deepStrictEqual(yield* judged(rejected("policy", "so")), refused("no", "no, so"))
      const [there, other] = ["txn-already-in-mempool", "txn-same-nonwitness-data-in-mempool"]
      assert.deepStrictEqual(yield* judged(inMempool), refused(there, there))
      assert.deepStrictEqual(yield* judged(otherWitness), refused(other, other))
    }))

  it.effect("says of several what is wrong with all of them, and nothing behind one that pays too much", () =>
    Effect.gen(function*() {
      const outcomes = [undefined, accepted(10n ** 12n), accepted(1n)]
      let failure: object | undefined = { reason: "package", debug: "so", isPolicy: true }
      const { calls, show, text } = methodNode({ answers: { testPackage: () => ({ failure, outcomes }) } })
      const all = [digits(payment), HEX, digits(coinbase)]
      const ids = [payment, plain, coinbase].map((tx) => ({ txid: idOf(tx), wtxid: wtxidOf(tx) }))
      const wrong = { "package-error": "package, so" }
      const rich = { ...ids[1], allowed: false, "reject-reason": "max-fee-exceeded" }
      assert.deepStrictEqual(yield* show("testmempoolaccept", all), [
        { ...ids[0], ...wrong },
        { ...rich, ...wrong },
        { ...ids[2], ...wrong }
      ])
      assert.deepStrictEqual(calls, [[
        "testPackage",
        { transactions: [payment, plain, coinbase].map(({ bytes }) => new Uint8Array(bytes)) }
      ]])
      failure = { reason: "package", debug: undefined, isPolicy: false }
      assert.deepStrictEqual(yield* show("testmempoolaccept", all), [ids[0], rich, ids[2]])
      const count = "-8 Array must contain between 1 and 25 transactions."
      for (const length of [0, 26]) {
        assert.strictEqual(yield* text("testmempoolaccept", Array.from({ length }, () => HEX)), count)
      }
      assert.match(yield* text("testmempoolaccept", Array.from({ length: 25 }, () => HEX)), /^\[/)
      assert.strictEqual(
        yield* text("testmempoolaccept", ["00"]),
        "-22 TX decode failed: 00 Make sure the tx has at least one input."
      )
      assert.match(yield* text("testmempoolaccept", [5]), /^-3 /)
    }))

  it.effect("judges transactions without inputs itself", () =>
    Effect.gen(function*() {
      const none = "0200000000010000000000000000015100000000"
      const { text } = methodNode()
      // In the form without witnesses they are none.
      assert.match(yield* text("testmempoolaccept", [none]), /^-22 /)
    }))
})

describe("submitpackage", () => {
  it.effect("answers for each by its wtxid, with what was replaced, and announces what was there already", () =>
    Effect.gen(function*() {
      const announced: Array<unknown> = []
      const peers = () => ({ announceTransaction: (id: unknown) => void announced.push(id) })
      const submitted = (outcome: TransactionOutcome | undefined, failure?: object) => {
        const { calls, show } = methodNode({
          answers: { acceptPackage: () => ({ failure, outcomes: [outcome] }) },
          more: { peers }
        })
        return Effect.map(show("submitpackage", [HEX]), (answer) => {
          assert.deepStrictEqual(calls, [["acceptPackage", {
            transactions: [new Uint8Array(plain.bytes)],
            maxFeerate: { fee: 10_000_000n, size: 1_000 }
          }]])
          const { txid: id, ...rest } = answer["tx-results"][ID]
          assert.strictEqual(id, ID)
          return [answer.package_msg, rest, answer["replaced-transactions"]]
        })
      }
      const fees = {
        base: 5e-7,
        "effective-feerate": Math.trunc(50_000 / SIZE) / 1e8,
        "effective-includes": [shownHash(4)]
      }
      assert.deepStrictEqual(yield* submitted(accepted(50n)), [
        "success",
        { vsize: SIZE, fees },
        [shownHash(1), shownHash(2)]
      ])
      assert.deepStrictEqual(announced, [])
      assert.deepStrictEqual(yield* submitted(inMempool), ["success", { vsize: SIZE, fees: { base: 5e-7 } }, []])
      assert.deepStrictEqual(yield* submitted(otherWitness), ["success", { "other-wtxid": shownHash(6) }, []])
      assert.deepStrictEqual(announced, [txid, txid])
      const failure = { reason: "transaction failed", debug: undefined, isPolicy: false }
      assert.deepStrictEqual(yield* submitted(rejected("policy", "so"), failure), [
        "transaction failed",
        { error: "no, so" },
        []
      ])
      assert.deepStrictEqual(yield* submitted(undefined, failure), [
        "transaction failed",
        { error: "package-not-validated" },
        []
      ])
    }))

  it.effect("takes one, or a child with its parents, twenty-five at most", () =>
    Effect.gen(function*() {
      const { text } = methodNode({ answers: { acceptPackage: () => ({ failure: undefined, outcomes: [] }) } })
      const count = "-8 Array must contain between 1 and 25 transactions."
      const topology = "-25 package topology disallowed. not child-with-parents or parents depend on each other."
      for (const length of [0, 26]) {
        assert.strictEqual(yield* text("submitpackage", Array.from({ length }, () => HEX)), count)
      }
      assert.strictEqual(yield* text("submitpackage", Array.from({ length: 25 }, () => HEX)), topology)
      assert.strictEqual(yield* text("submitpackage", [digits(payment), HEX]), topology)
      assert.match(yield* text("submitpackage", [HEX]), /^\{"package_msg":"success"/)
    }))
})
