import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { pool } from "../../src/engine/mempool/mempool-extension.ts"
import { hexOf } from "../../src/hex.ts"
import { transactionOfHex } from "../../src/methods/raw-transaction/decode-hex.ts"
import { coinbaseAt, idOf, loose, mine, outputOf, PAY_TO_ANCHOR } from "../engine/mempool/loose-transactions.ts"
import type { NetworkService } from "../../src/p2p/layer/network.ts"
import { PLANTED_AT } from "../engine/planted-blocks.ts"
import { testEngine } from "../engine/test-engine.ts"
import { testLayer } from "../p2p/connections/test-layer.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { asked } from "./mempool-server.ts"

const REWARD = 5_000_000_000n

const shown = (tx: Transaction): string => Buffer.from(idOf(tx)).reverse().toString("hex")
const hex = ({ bytes }: Transaction): string => hexOf(bytes)
const sizeOf = ({ bytes }: Transaction): number => bytes.length

/** A node with coins of 50 BTC that anyone can spend, and what it announces to its peers once more. */
const regtest = Effect.gen(function*() {
  const engine = yield* testEngine({
    directory: yield* temporaryDirectory,
    extensions: [pool],
    mockTime: PLANTED_AT
  })
  yield* mine(engine, 108)
  const coins = yield* Effect.forEach([1, 2, 3, 4, 5], (height) => coinbaseAt(engine, height))
  const announced: Array<string> = []
  const { service } = yield* testLayer()
  const network: NetworkService = {
    ...service,
    announceTransaction: (txid) => void announced.push(Buffer.from(txid).reverse().toString("hex"))
  }
  return { ...(yield* asked({ chain: fakeChain(engine.handlers), network })), announced, coins, engine }
})

const OUTPUT = `e80300000000000004${hexOf(PAY_TO_ANCHOR)}`

/** A transaction without inputs and outputs: with outputs its bytes would stand for one with witnesses. */
const NOTHING_IN = transactionOfHex("02000000000000000000", { withWitness: true, withoutWitness: false })!

/** The bytes of one without inputs and with two outputs. */
const OUTPUTS_ALONE = `020000000002${OUTPUT}${OUTPUT}00000000`

const BURNS = "-25 Unspendable output exceeds maximum configured by user (maxburnamount)"
const TOO_MUCH = "-25 Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)"

describe("sendrawtransaction", () => {
  it.live("puts a transaction into the mempool, once, and marks it until a peer has fetched it", () =>
    Effect.gen(function*() {
      const { announced, coins, engine, error, result } = yield* regtest
      const tx = loose({ inputs: [coins[0]!], values: [REWARD - 1_000n] })
      assert.strictEqual(yield* result("sendrawtransaction", hex(tx)), shown(tx))
      assert.deepStrictEqual(announced, [], "the mempool notifies of what is new")
      assert.strictEqual(yield* result("sendrawtransaction", hex(tx)), shown(tx), "once more is no error")
      assert.deepStrictEqual(announced, [shown(tx)])
      assert.deepStrictEqual(yield* result("getrawmempool"), [shown(tx)])
      assert.isTrue((yield* result("getmempoolentry", shown(tx))).unbroadcast)
      assert.strictEqual((yield* result("getmempoolinfo")).unbroadcastcount, 1)
      yield* mine(engine, 1, [tx])
      assert.deepStrictEqual(yield* result("getrawmempool"), [])
      assert.strictEqual(
        yield* error("sendrawtransaction", hex(tx)),
        "-27 Transaction outputs already in utxo set"
      )
      assert.strictEqual((yield* result("getmempoolinfo")).unbroadcastcount, 0)
    }))

  it.live("refuses in the words and codes of Bitcoin Core", () =>
    Effect.gen(function*() {
      const { coins, error, result } = yield* regtest
      const first = loose({ inputs: [coins[0]!], values: [REWARD - 1_000n] })
      yield* result("sendrawtransaction", hex(first))
      const inputs = [coins[1]!]
      const poor = loose({ inputs, values: [REWARD - 5n] })
      const cheaper = loose({ inputs: [coins[0]!], values: [REWARD - 900n] })
      const returning = (script: Uint8Array): string =>
        hex(loose({ inputs, values: [REWARD - 1_000n], outputScript: script }))
      const refusals: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
        ["-22 TX decode failed. Make sure the tx has at least one input.", ["00zz"]],
        ["-22 TX decode failed. Make sure the tx has at least one input.", [OUTPUTS_ALONE]],
        ["-26 bad-txns-vin-empty", [hex(NOTHING_IN)]],
        ["-25 bad-txns-inputs-missingorspent", [hex(loose({ inputs: [outputOf(first, 7)], values: [1_000n] }))]],
        [
          `-26 insufficient fee, rejecting replacement ${
            shown(cheaper)
          }, less fees than conflicting txs; 0.000009 < 0.00001`,
          [hex(cheaper)]
        ],
        [`-26 min relay fee not met, 5 < ${Math.ceil(sizeOf(poor) / 10)}`, [hex(poor)]],
        [TOO_MUCH, [hex(loose({ inputs, values: [1_000n] }))]],
        // What is wrong besides goes before what it pays.
        ["-26 non-final", [hex(loose({ inputs, values: [1_000n], lockTime: 900, sequence: 0 }))]],
        ["-26 version", [hex(loose({ inputs, values: [1_000n], version: 4 }))]],
        [BURNS, [returning(Uint8Array.of(0x6a, 0, 0, 0, 0, 0))]],
        [BURNS, [returning(Uint8Array.of(0xff))]],
        [BURNS, [returning(Uint8Array.of(0x02, 0x01))]],
        ["-8 Fee rates larger than or equal to 1BTC/kvB are not accepted", [hex(first), 2]],
        ["-3 Amount out of range", [hex(first), -1]],
        ["-3 Amount out of range", ["00zz", 0, -1]]
      ]
      for (const [message, params] of refusals) {
        assert.strictEqual(yield* error("sendrawtransaction", ...params), message)
      }
      assert.deepStrictEqual(yield* result("getrawmempool"), [shown(first)])
    }))

  it.live("holds what a transaction pays to the limit, for its size rounded up, and to none if that is 0", () =>
    Effect.gen(function*() {
      const { coins, error, result } = yield* regtest
      const paying = (fee: bigint): Transaction => loose({ inputs: [coins[0]!], values: [REWARD - fee] })
      // A feerate of which the size makes no whole number.
      const rate = 10_001n
      const exact = rate * BigInt(sizeOf(paying(0n)))
      const most = (exact + 999n) / 1_000n
      assert.isAbove(Number(most * 1_000n), Number(exact))
      assert.strictEqual(yield* error("sendrawtransaction", hex(paying(most + 1n)), "0.00010001"), TOO_MUCH)
      assert.strictEqual(
        yield* result("sendrawtransaction", hex(paying(most)), "0.00010001"),
        shown(paying(most))
      )
      const rich = loose({ inputs: [coins[1]!], values: [1_000n] })
      assert.strictEqual(yield* result("sendrawtransaction", hex(rich), 0), shown(rich))
    }))

  it.live("replaces what pays less", () =>
    Effect.gen(function*() {
      const { coins, result } = yield* regtest
      const [old, better] = [1_000n, 5_000n].map((fee) => loose({ inputs: [coins[0]!], values: [REWARD - fee] }))
      yield* result("sendrawtransaction", hex(old!))
      assert.strictEqual(yield* result("sendrawtransaction", hex(better!)), shown(better!))
      assert.deepStrictEqual(yield* result("getrawmempool"), [shown(better!)])
    }))
})

describe("testmempoolaccept", () => {
  it.live("judges one transaction as it would be judged, and changes nothing", () =>
    Effect.gen(function*() {
      const { coins, result, text } = yield* regtest
      const tx = loose({ inputs: [coins[0]!], values: [REWARD - 1_000n] })
      const [txid, size] = [shown(tx), sizeOf(tx)]
      assert.strictEqual(
        yield* text("testmempoolaccept", [[hex(tx)]]),
        `[{"txid":"${txid}","wtxid":"${txid}","allowed":true,"vsize":${size},"fees":{"base":0.00001000,` +
          `"effective-feerate":0.000${Math.floor(1_000_000 / size)},"effective-includes":["${txid}"]}}]`
      )
      assert.deepStrictEqual(yield* result("getrawmempool"), [])
      yield* result("sendrawtransaction", hex(tx))
      const refused = (reason: string) => ({ allowed: false, "reject-reason": reason, "reject-details": reason })
      const said = (each: Transaction) =>
        Effect.map(result("testmempoolaccept", [hex(each)]), ([{ txid: _id, wtxid: _other, ...rest }]) => rest)
      assert.deepStrictEqual(yield* said(tx), refused("txn-already-in-mempool"))
      assert.deepStrictEqual(yield* said(NOTHING_IN), refused("bad-txns-vin-empty"))
      assert.deepStrictEqual(yield* said(loose({ inputs: [outputOf(tx, 9)], values: [1n] })), {
        allowed: false,
        "reject-reason": "missing-inputs"
      })
      const poor = loose({ inputs: [coins[1]!], values: [REWARD - 1n] })
      assert.deepStrictEqual(yield* said(poor), {
        allowed: false,
        "reject-reason": "min relay fee not met",
        "reject-details": `min relay fee not met, 1 < ${Math.ceil(sizeOf(poor) / 10)}`
      })
    }))

  it.live("judges transactions that spend each other, and stops behind one that pays too much", () =>
    Effect.gen(function*() {
      const { coins, result } = yield* regtest
      const parent = loose({ inputs: [coins[0]!], values: [REWARD - 1_000n] })
      const child = loose({ inputs: [outputOf(parent)], values: [REWARD - 3_000n] })
      const verdicts = yield* result("testmempoolaccept", [hex(parent), hex(child)])
      assert.deepStrictEqual(verdicts.map(({ allowed, txid }: Record<string, unknown>) => [allowed, txid]), [
        [true, shown(parent)],
        [true, shown(child)]
      ])
      assert.deepStrictEqual(verdicts[1].fees["effective-includes"], [shown(child)])
      const rich = loose({ inputs: [outputOf(parent)], values: [1_000n] })
      const heir = loose({ inputs: [outputOf(rich)], values: [500n] })
      const ids = (tx: Transaction) => ({ txid: shown(tx), wtxid: shown(tx) })
      const [first, ...others] = yield* result("testmempoolaccept", [parent, rich, heir].map(hex))
      assert.isTrue(first.allowed)
      assert.deepStrictEqual(others, [
        { ...ids(rich), allowed: false, "reject-reason": "max-fee-exceeded" },
        ids(heir)
      ])
      assert.deepStrictEqual(yield* result("getrawmempool"), [])
    }))

  it.live("says what is wrong with all of them together, and where one of them fails", () =>
    Effect.gen(function*() {
      const { coins, error, result } = yield* regtest
      const parent = loose({ inputs: [coins[0]!], values: [REWARD - 1_000n] })
      const child = loose({ inputs: [outputOf(parent)], values: [REWARD - 3_000n] })
      const ids = (tx: Transaction) => ({ txid: shown(tx), wtxid: shown(tx) })
      const together = (reason: string, ...all: ReadonlyArray<Transaction>) =>
        all.map((tx) => ({ ...ids(tx), "package-error": reason }))
      const wrong: ReadonlyArray<readonly [string, ReadonlyArray<Transaction>]> = [
        ["package-not-sorted", [child, parent]],
        ["package-contains-duplicates", [parent, parent]],
        ["conflict-in-package", [parent, loose({ inputs: [coins[0]!], values: [REWARD - 2_000n] })]],
        ["conflict-in-package", [parent, NOTHING_IN]]
      ]
      for (const [reason, all] of wrong) {
        assert.deepStrictEqual(yield* result("testmempoolaccept", all.map(hex)), together(reason, ...all))
      }
      const broken = loose({ inputs: [outputOf(parent)], values: [REWARD], version: 4 })
      assert.deepStrictEqual(yield* result("testmempoolaccept", [hex(parent), hex(broken)]), [
        ids(parent),
        { ...ids(broken), allowed: false, "reject-reason": "version", "reject-details": "version" }
      ])
      const count = "-8 Array must contain between 1 and 25 transactions."
      assert.strictEqual(yield* error("testmempoolaccept", []), count)
      assert.strictEqual(yield* error("testmempoolaccept", Array.from({ length: 26 }, () => hex(parent))), count)
      for (const each of ["ff00baar", OUTPUTS_ALONE]) {
        assert.strictEqual(
          yield* error("testmempoolaccept", [each]),
          `-22 TX decode failed: ${each} Make sure the tx has at least one input.`
        )
      }
      assert.strictEqual(
        yield* error("testmempoolaccept", [hex(parent)], 1),
        "-8 Fee rates larger than or equal to 1BTC/kvB are not accepted"
      )
    }))
})

describe("submitpackage", () => {
  it.live("has a child pay for its parent, and says of each what it is judged by", () =>
    Effect.gen(function*() {
      const { announced, coins, result } = yield* regtest
      const parent = loose({ inputs: [coins[0]!], values: [REWARD] })
      const child = loose({ inputs: [outputOf(parent)], values: [REWARD - 3_000n] })
      const sizes = sizeOf(parent) + sizeOf(child)
      const shared = {
        "effective-feerate": Math.floor(3_000_000 / sizes) / 1e8,
        "effective-includes": [shown(parent), shown(child)]
      }
      assert.deepStrictEqual(yield* result("submitpackage", [hex(parent), hex(child)]), {
        package_msg: "success",
        "tx-results": {
          [shown(parent)]: { txid: shown(parent), vsize: sizeOf(parent), fees: { base: 0, ...shared } },
          [shown(child)]: { txid: shown(child), vsize: sizeOf(child), fees: { base: 0.00003, ...shared } }
        },
        "replaced-transactions": []
      })
      assert.isFalse((yield* result("getmempoolentry", shown(child))).unbroadcast)
      assert.deepStrictEqual(announced, [])
      const again = yield* result("submitpackage", [hex(parent), hex(child)])
      assert.deepStrictEqual(announced, [shown(parent), shown(child)], "it perhaps reached no peer")
      assert.deepStrictEqual(again["tx-results"][shown(child)], {
        txid: shown(child),
        vsize: sizeOf(child),
        fees: { base: 0.00003 }
      })
    }))

  it.live("lists what was replaced, once, in raw order of ids", () =>
    Effect.gen(function*() {
      const { coins, result } = yield* regtest
      const inputs = coins.slice(0, 4)
      const old = inputs.map((input) => loose({ inputs: [input], values: [REWARD - 1_000n] }))
      for (const tx of old) yield* result("sendrawtransaction", hex(tx))
      const better = loose({ inputs, values: [4n * REWARD - 50_000n] })
      const { "replaced-transactions": replaced } = yield* result("submitpackage", [hex(better)])
      assert.deepStrictEqual(replaced, old.toSorted((a, b) => Buffer.compare(idOf(a), idOf(b))).map(shown))
    }))

  it.live("says of each why it failed, and what was not judged", () =>
    Effect.gen(function*() {
      const { coins, result } = yield* regtest
      const parent = loose({ inputs: [coins[0]!], values: [REWARD - 1n] })
      const child = loose({ inputs: [outputOf(parent)], values: [REWARD - 2n] })
      const least = (size: number): number => Math.ceil(size / 10)
      assert.deepStrictEqual(yield* result("submitpackage", [hex(parent), hex(child)]), {
        package_msg: "transaction failed",
        "tx-results": {
          [shown(parent)]: {
            txid: shown(parent),
            error: `min relay fee not met, 1 < ${least(sizeOf(parent))}`
          },
          [shown(child)]: {
            txid: shown(child),
            error: `min relay fee not met, 2 < ${least(sizeOf(parent) + sizeOf(child))}`
          }
        },
        "replaced-transactions": []
      })
      const heir = loose({ inputs: [outputOf(NOTHING_IN)], values: [500n] })
      assert.deepStrictEqual(yield* result("submitpackage", [hex(NOTHING_IN), hex(heir)]), {
        package_msg: "conflict-in-package",
        "tx-results": {
          [shown(NOTHING_IN)]: { txid: shown(NOTHING_IN), error: "package-not-validated" },
          [shown(heir)]: { txid: shown(heir), error: "package-not-validated" }
        },
        "replaced-transactions": []
      })
      assert.deepStrictEqual(yield* result("submitpackage", [hex(NOTHING_IN)]), {
        package_msg: "transaction failed",
        "tx-results": { [shown(NOTHING_IN)]: { txid: shown(NOTHING_IN), error: "bad-txns-vin-empty" } },
        "replaced-transactions": []
      })
    }))

  it.live("holds what each pays and burns to limits, and takes no other shape than a child with parents", () =>
    Effect.gen(function*() {
      const { coins, error, result } = yield* regtest
      const [one, two] = coins.slice(0, 2).map((input) => loose({ inputs: [input], values: [REWARD - 1_000n] }))
      const child = loose({ inputs: [outputOf(one!)], values: [REWARD - 3_000n] })
      const topology = "-25 package topology disallowed. not child-with-parents or parents depend on each other."
      const grandchild = loose({ inputs: [outputOf(one!, 0), outputOf(child)], values: [REWARD - 9_000n] })
      const burning = loose({ inputs: [coins[2]!], values: [REWARD - 1_000n], outputScript: Uint8Array.of(0x6a) })
      const wrong: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
        ["-8 Array must contain between 1 and 25 transactions.", [[]]],
        ["-8 Array must contain between 1 and 25 transactions.", [Array.from({ length: 26 }, () => hex(one!))]],
        ["-8 Fee rates larger than or equal to 1BTC/kvB are not accepted", [["00"], 1]],
        ["-3 Amount out of range", [["00"], 0, -1]],
        ["-22 TX decode failed: 00 Make sure the tx has at least one input.", [["00"]]],
        [`-22 TX decode failed: ${OUTPUTS_ALONE} Make sure the tx has at least one input.`, [[OUTPUTS_ALONE]]],
        [BURNS, [[hex(burning)]]],
        [topology, [[hex(one!), hex(two!)]]],
        [topology, [[hex(child), hex(one!)]]],
        [topology, [[hex(one!), hex(child), hex(grandchild)]]],
        [topology, [[hex(one!), hex(one!)]]]
      ]
      for (const [message, params] of wrong) {
        assert.strictEqual(yield* error("submitpackage", ...params), message)
      }
      const rich = loose({ inputs: [coins[3]!], values: [1_000n] })
      const tooRich = yield* result("submitpackage", [hex(rich)])
      assert.deepStrictEqual(tooRich["tx-results"][shown(rich)], {
        txid: shown(rich),
        error: "max feerate exceeded"
      })
      assert.strictEqual((yield* result("submitpackage", [hex(rich)], 0)).package_msg, "success")
    }))
})
