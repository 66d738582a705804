import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { displayHash, hexOf } from "../../../../src/hex.ts"
import { unixSeconds } from "../../../../src/quantities.ts"
import { coinbaseAt, idOf } from "../loose-transactions.ts"
import { testAcceptance } from "../mempool-context.ts"
import { ANCHOR, COIN, mineBlocks, output, pay, said, scriptHash, withCoins, witnessScriptHash } from "./payments.ts"

const FEE = 1_000n
const NOTHING = new Uint8Array()
const TRUE = Uint8Array.of(0x51)
/** Sixteen signatures that are wanted accurately, so one too many. */
const SIXTEEN = concatBytes([new Uint8Array(16).fill(0xac), TRUE])

const shown = (tx: Transaction): string => displayHash(idOf(tx))

/** Coins of these scripts, in this order. */
const SCRIPTS = {
  nonstandard: Uint8Array.of(0x51, 0x61, 0x61, 0x61, 0x61),
  future: concatBytes([Uint8Array.of(0x52, 0x20), new Uint8Array(32).fill(9)]),
  sixteen: scriptHash(SIXTEEN),
  anchor: ANCHOR,
  witness: witnessScriptHash(TRUE),
  fails: scriptHash(Uint8Array.of(0x00)),
  upgradable: scriptHash(Uint8Array.of(0x51, 0xb9)),
  many: scriptHash(concatBytes([Uint8Array.of(0x60, 0xae), TRUE]))
}

interface Case {
  readonly from?: Parameters<typeof pay>[0]["from"]
  readonly to?: Parameters<typeof pay>[0]["to"]
  readonly version?: number
  readonly lockTime?: number
  readonly sequence?: number
  readonly says: string
}

describe("a transaction by itself", () => {
  it.live("is refused with Bitcoin Core's reason", () =>
    Effect.gen(function*() {
      const { coins, engine, maker, special } = yield* withCoins(4, Object.values(SCRIPTS))
      const at = (name: keyof typeof SCRIPTS): OutPoint => special[Object.keys(SCRIPTS).indexOf(name)]!
      const { acceptance, announced } = testAcceptance(engine)
      const [coin] = coins as [OutPoint]
      const young = yield* coinbaseAt(engine, 90)
      const { tip } = engine.chain.tree
      const rest = COIN - FEE
      const cases: ReadonlyArray<Case> = [
        { to: [], says: "bad-txns-vout-empty [consensus]" },
        { to: [-1n], says: "bad-txns-vout-negative [consensus]" },
        { to: [21_000_001n * 100_000_000n], says: "bad-txns-vout-toolarge [consensus]" },
        { to: [21_000_000n * 100_000_000n, 1n], says: "bad-txns-txouttotal-toolarge [consensus]" },
        { from: [coin, coin], says: "bad-txns-inputs-duplicate [consensus]" },
        { from: [coin, { txid: new Uint8Array(32), vout: 0xffffffff }], says: "bad-txns-prevout-null [consensus]" },
        { from: [{ txid: new Uint8Array(32), vout: 0xffffffff, script: TRUE }], says: "bad-cb-length [consensus]" },
        { from: [{ txid: new Uint8Array(32), vout: 0xffffffff }], says: "coinbase [consensus]" },
        { version: 4, says: "version [not standard]" },
        { to: Array.from({ length: 3_200 }, () => 1_000n), says: "tx-size [not standard]" },
        { from: [{ ...coin, script: new Uint8Array(1_651) }], says: "scriptsig-size [not standard]" },
        { from: [{ ...coin, script: Uint8Array.of(0x61) }], says: "scriptsig-not-pushonly [not standard]" },
        { to: [[rest, SCRIPTS.nonstandard]], says: "scriptpubkey [not standard]" },
        { to: [539n, 539n], says: "dust [not standard]" },
        { from: [{ ...at("anchor"), script: NOTHING }], to: [[rest, ANCHOR]], says: "tx-size-small [not standard]" },
        { lockTime: tip.height + 1, sequence: 0, says: "non-final [premature spend]" },
        {
          from: [{ txid: new Uint8Array(32).fill(1), vout: 0 }],
          says: "bad-txns-inputs-missingorspent [missing inputs]"
        },
        { from: [{ ...coin, sequence: 2 }], says: "non-BIP68-final [premature spend]" },
        { from: [{ ...coin, sequence: (1 << 22) + 1 }], says: "non-BIP68-final [premature spend]" },
        {
          from: [young],
          says: `bad-txns-premature-spend-of-coinbase | tried to spend coinbase at depth ${
            tip.height + 1 - 90
          } [premature spend]`
        },
        { to: [COIN + 1n], says: "bad-txns-in-belowout | value in (0.01) < value out (0.01000001) [consensus]" },
        {
          from: [{ ...at("nonstandard"), script: NOTHING }],
          says: "bad-txns-nonstandard-inputs | input 0 script unknown [inputs not standard]"
        },
        {
          from: [coin, { ...at("future"), script: NOTHING }],
          says: "bad-txns-nonstandard-inputs | input 1 witness program is undefined [inputs not standard]"
        },
        {
          from: [{ ...coin, script: NOTHING }],
          says: "bad-txns-nonstandard-inputs | input 0 P2SH redeemscript missing [inputs not standard]"
        },
        {
          from: [{ ...at("sixteen"), script: concatBytes([Uint8Array.of(17), SIXTEEN]) }],
          says:
            "bad-txns-nonstandard-inputs | p2sh redeemscript sigops exceed limit (input 0: 16 > 15) [inputs not standard]"
        },
        { from: [{ ...coin, witness: [TRUE] }], says: "bad-witness-nonstandard [witness mutated]" },
        { to: [539n], says: "dust | tx with dust output must be 0-fee [not standard]" },
        {
          to: [COIN - 201n * 800n - FEE, ...Array.from({ length: 201 }, () => [800n, multisig(3)] as const)],
          says: "bad-txns-too-many-sigops | 16080 [not standard]"
        },
        { to: [COIN], says: "min relay fee not met | 0 < 9 [reconsiderable]" }
      ]
      for (const take of [acceptance.test, acceptance.accept]) {
        const answers = yield* Effect.forEach(
          cases,
          ({ says: _says, ...changes }) => take(pay({ from: [coin], to: [rest], ...changes }))
        )
        assert.deepStrictEqual(answers.map(said), cases.map(({ says }) => says))
      }
      const known = pay({ from: [{ ...output(maker), vout: 999 }], to: [rest] })
      const outcome = yield* acceptance.test(known)
      assert.deepStrictEqual(outcome._tag === "Rejected" && outcome.missing.map(hexOf), [hexOf(idOf(maker))])
      const confirmed = pay({ from: [coins[1]!], to: [rest] })
      yield* mineBlocks(engine, 1, [confirmed])
      assert.strictEqual(said(yield* acceptance.test(confirmed)), "txn-already-known [conflict]")
      assert.deepStrictEqual(announced, [])
    }))

  it.live("is held to what the operator has set, and to nothing standard where that is off", () =>
    Effect.gen(function*() {
      const { coins: [coin], engine, special: [odd] } = yield* withCoins(1, [SCRIPTS.nonstandard])
      const rest = COIN - FEE
      const data = pay({ from: [coin!], to: [rest, [0n, Uint8Array.of(0x6a, 1, 1)]] })
      const bare = pay({ from: [coin!], to: [[rest, multisig(1)]] })
      const strange = pay({ from: [{ ...odd!, script: NOTHING }], to: [[rest, SCRIPTS.nonstandard], 1n], version: 9 })
      const strict = testAcceptance(engine, { policy: { dataCarrierBytes: 2, permitBareMultisig: false } }).acceptance
      assert.strictEqual(said(yield* strict.test(data)), "datacarrier [not standard]")
      assert.strictEqual(said(yield* strict.test(bare)), "bare-multisig [not standard]")
      const relaxed = testAcceptance(engine, { policy: { requireStandard: false } }).acceptance
      for (const tx of [data, bare, strange]) assert.strictEqual(said(yield* relaxed.test(tx)), "Accepted")
    }))

  it.live("that comes back from a block pays nothing and has no sequence number, but must be standard", () =>
    Effect.gen(function*() {
      const { coins, engine } = yield* withCoins(3)
      const { acceptance, announced, context: { state } } = testAcceptance(engine, { maxBytes: 0 })
      const free = pay({ from: [coins[0]!], to: [COIN], version: 3 })
      const dusty = pay({ from: [coins[1]!], to: [COIN - 100n, 100n] })
      const parent = pay({ from: [coins[2]!], to: [COIN] })
      const child = pay({ from: [output(parent)], to: [COIN], version: 3 })
      const bypassLimits = true
      assert.strictEqual(said(yield* acceptance.accept(parent)), "min relay fee not met | 0 < 9 [reconsiderable]")
      for (const tx of [free, dusty, parent, child]) {
        assert.strictEqual(said(yield* acceptance.accept(tx, { bypassLimits })), "Accepted")
        assert.strictEqual(state.entry(state.ofTxid(idOf(tx))!).sequence, 0)
      }
      const odd = pay({ from: [coins[1]!], to: [COIN], version: 4 })
      assert.strictEqual(said(yield* acceptance.accept(odd, { bypassLimits })), "version [not standard]")
      assert.deepStrictEqual(announced, [free, dusty, parent, child].map((tx) => `added ${hexOf(idOf(tx))}`))
    }))

  it.live("leaves at once when the mempool is full: those that left are announced, and it is not", () =>
    Effect.gen(function*() {
      const { coins, engine } = yield* withCoins(4)
      const probe = testAcceptance(engine)
      const rich = coins.slice(0, 3).map((coin, i) => pay({ from: [coin], to: [COIN - 10n * FEE - BigInt(i)] }))
      const poor = pay({ from: [coins[3]!], to: [COIN - FEE] })
      yield* Effect.forEach(rich, (tx) => probe.acceptance.accept(tx))
      const maxBytes = probe.context.state.totals().usage
      const { acceptance, announced, context } = testAcceptance(engine, { maxBytes })
      yield* Effect.forEach(rich, (tx) => acceptance.accept(tx))
      assert.deepStrictEqual(announced.splice(0), rich.map((tx) => `added! ${hexOf(idOf(tx))}`))
      assert.strictEqual(said(yield* acceptance.accept(poor)), "mempool full [reconsiderable]")
      assert.deepStrictEqual(announced.splice(0), [`sizelimit ${hexOf(idOf(poor))}`])
      const minimum = context.minimumFee()
      const needed = Math.ceil(minimum * 85 / 1_000)
      const cheap = pay({ from: [coins[3]!], to: [COIN - 100n] })
      assert.strictEqual(
        said(yield* acceptance.test(cheap)),
        `mempool min fee not met | 100 < ${needed} [reconsiderable]`
      )
      const richer = pay({ from: [coins[3]!], to: [COIN - 20n * FEE] })
      assert.strictEqual(said(yield* acceptance.accept(richer)), "Accepted")
      assert.deepStrictEqual(announced, [`sizelimit ${hexOf(idOf(rich[0]!))}`, `added! ${hexOf(idOf(richer))}`])
    }))

  it.live("is refused when a script fails: the reason names neither policy nor consensus, the class says whether it was stripped", () =>
    Effect.gen(function*() {
      const { coins, engine, special } = yield* withCoins(1, Object.values(SCRIPTS))
      const at = (name: keyof typeof SCRIPTS): OutPoint => special[Object.keys(SCRIPTS).indexOf(name)]!
      const { acceptance } = testAcceptance(engine)
      const failure = (text: string, tx: Transaction, input: number, spent: OutPoint, what: string): string =>
        `mempool-script-verify-flag-failed (${text}) | input ${input} of ${shown(tx)} (wtxid ${shown(tx)}), spending ${
          displayHash(spent.txid)
        }:${spent.vout} [${what}]`
      const unsatisfied = pay({
        from: [coins[0]!, { ...at("fails"), script: Uint8Array.of(0x01, 0x00) }],
        to: [COIN]
      })
      assert.strictEqual(
        said(yield* acceptance.accept(unsatisfied)),
        failure(
          "Script evaluated without error but finished with a false/empty top stack element",
          unsatisfied,
          1,
          at("fails"),
          "not standard"
        )
      )
      const upgradable = pay({
        from: [{ ...at("upgradable"), script: Uint8Array.of(0x02, 0x51, 0xb9) }],
        to: [COIN - FEE]
      })
      assert.strictEqual(
        said(yield* acceptance.accept(upgradable)),
        failure("NOPx reserved for soft-fork upgrades", upgradable, 0, at("upgradable"), "not standard")
      )
      const bare = pay({ from: [{ ...at("witness"), script: NOTHING }], to: [COIN - FEE] })
      assert.strictEqual(
        said(yield* acceptance.accept(bare)),
        failure("Witness program was passed an empty witness", bare, 0, at("witness"), "witness stripped")
      )
      const wrong = pay({
        from: [{ ...at("witness"), script: NOTHING, witness: [Uint8Array.of(0x52)] }],
        to: [COIN - FEE]
      })
      assert.match(said(yield* acceptance.accept(wrong)), /Witness program hash mismatch.* \[not standard\]$/)
      const whole = pay({ from: [{ ...at("witness"), script: NOTHING, witness: [TRUE] }], to: [COIN - FEE] })
      assert.strictEqual(said(yield* acceptance.accept(whole)), "Accepted")
    }))

  it.live("enters with all that the mempool has to know, and is announced once", () =>
    Effect.gen(function*() {
      const { coins, engine, tipOf } = yield* withCoins(3)
      const { acceptance, announced, context: { state } } = testAcceptance(engine)
      const parent = pay({ from: [{ ...coins[0]!, sequence: 1 }, yield* coinbaseAt(engine, 2)], to: [COIN - FEE] })
      const time = unixSeconds(1_699_999_999)
      const outcome = yield* acceptance.accept(parent, { time })
      assert.strictEqual(outcome._tag, "Accepted")
      const entry = state.entry(state.ofTxid(idOf(parent))!)
      const { height } = engine.chain.tree.tip
      assert.deepStrictEqual(
        [entry.time, entry.height, entry.sequence, entry.spendsCoinbase, entry.fee],
        [time, height, 1, true, 5_000_000_000n + FEE]
      )
      assert.deepStrictEqual(entry.locks, { height, time: -1, block: tipOf().hash.slice() })
      const child = pay({ from: [output(parent)], to: [COIN - 2n * FEE] })
      assert.deepStrictEqual((yield* acceptance.accept(child))._tag, "Accepted")
      assert.deepStrictEqual(announced, [`added! ${hexOf(idOf(parent))}`, `added ${hexOf(idOf(child))}`])
      assert.deepStrictEqual((yield* acceptance.accept(child))._tag, "InMempool")
      const beyond = pay({ from: [{ ...output(parent), vout: 7 }], to: [COIN] })
      assert.strictEqual(said(yield* acceptance.accept(beyond)), "bad-txns-inputs-missingorspent [missing inputs]")
      assert.strictEqual(state.totals().count, 2)
    }))
})

/** A bare multisig of a key, which counts as 20 signature operations. */
const multisig = (keys: number): Uint8Array =>
  concatBytes([
    TRUE,
    ...Array.from({ length: keys }, () => concatBytes([Uint8Array.of(33, 2), new Uint8Array(32).fill(7)])),
    Uint8Array.of(0x50 + keys, 0xae)
  ])
