import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import { hashOf, methodNode, shownHash } from "../method-node.ts"

const KEY = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd"
const LONG = "04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd" +
  "5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235"
const ADDRESS = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
const ID = shownHash(0xab)
const input = { txid: ID, vout: 1 }
const EMPTY_PSBT = "cHNidP8BAgQCAAAAAQMEAAAAAAEEAQABBQEAAfsEAgAAAAA="
/** The parts of a transaction with one input around its sequence number. */
const spending = (sequence: string, lockTime = "00000000", version = "02"): string =>
  `${version}00000001${ID}0100000000${sequence}00${lockTime}`

/** Calls, and what they are answered with, whole or by its beginning. */
type Rows = ReadonlyArray<readonly [params: ReadonlyArray<unknown>, answer: string]>

const node = methodNode({
  answers: {
    indexes: () => [],
    mempoolTransaction: () => undefined,
    outputs: ({ outpoints }) => ({ tip: hashOf(1), outputs: outpoints.map(() => undefined) })
  }
})

const holds = (method: string, rows: Rows): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (const [params, answer] of rows) {
      assert.strictEqual(yield* node.text(method, ...params), answer, JSON.stringify(params))
    }
  })

describe("createrawtransaction", () => {
  it.effect("has the sequence numbers that replaceability and lock time ask for, unless an input has its own", () =>
    holds("createrawtransaction", [
      [[[input], []], `"${spending("fdffffff")}"`],
      [[[input], [], 0, false], `"${spending("ffffffff")}"`],
      [[[input], [], 1, false], `"${spending("feffffff", "01000000")}"`],
      [[[input], [], 1], `"${spending("fdffffff", "01000000")}"`],
      [[[input], [], 0, true], `"${spending("fdffffff")}"`],
      [[[{ ...input, sequence: 0 }], {}, 4_294_967_295, true, 3], `"${spending("00000000", "ffffffff", "03")}"`],
      [[[{ ...input, sequence: 4_294_967_295 }], []], `"${spending("ffffffff")}"`],
      [[[{ ...input, sequence: 4_294_967_293 }], [], 0, true], `"${spending("fdffffff")}"`],
      [[[{ ...input, sequence: "5" }], [], 0, false], `"${spending("ffffffff")}"`],
      [[[], [], 0, true, 1], "\"01000000000000000000\""]
    ]))

  it.effect("pays to addresses, each once, and to data, at most once, in their order", () =>
    holds("createrawtransaction", [
      [
        [[], { data: "0102", [ADDRESS]: "0.5" }],
        "\"0200000000020000000000000000046a02010280f0fa020000000016001488b03f5850c387f91ce810c0e4ba51a69d9ba0c200000000\""
      ],
      [[[], [{ data: "00" }, { data: "00" }]], "-8 Invalid parameter, duplicate key: data"],
      [[[], [{ [ADDRESS]: 1 }, { [ADDRESS]: 2 }]], `-8 Invalid parameter, duplicated address: ${ADDRESS}`],
      [[[], { [ADDRESS]: -1 }], "-3 Amount out of range"],
      [
        [[], { mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfm: 1 }],
        "-5 Invalid Bitcoin address: mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfm"
      ],
      [[[], { data: "0" }], "-8 Data must be hexadecimal string (not '0')"],
      [[[], { data: 5 }], "-3 JSON value of type number is not of expected type string"],
      [[[], { data: null }], "-8 Data must be hexadecimal string (not '')"],
      [[[], null], "-8 Invalid parameter, output argument must be non-null"],
      [[[], "x"], "-3 JSON value of type string is not of expected type array"],
      [[[], [{}]], "-8 Invalid parameter, key-value pair must contain exactly one key"]
    ]))

  it.effect("is refused with the reason where a number is out of range or a member missing", () =>
    holds("createrawtransaction", [
      [[[5], []], "-3 JSON value of type number is not of expected type object"],
      [[[{}], []], "-3 JSON value of type null is not of expected type string"],
      [[[{ txid: "ab", vout: 0 }], []], "-8 txid must be of length 64 (not 2, for 'ab')"],
      [[[{ txid: ID }], []], "-8 Invalid parameter, missing vout key"],
      [[[{ txid: ID, vout: "0" }], []], "-8 Invalid parameter, missing vout key"],
      [[[{ txid: ID, vout: -1 }], []], "-8 Invalid parameter, vout cannot be negative"],
      [[[{ txid: ID, vout: 2 ** 31 }], []], "-1 JSON integer out of range"],
      [[[{ ...input, sequence: -1 }], []], "-8 Invalid parameter, sequence number is out of range"],
      [[[{ ...input, sequence: 2 ** 32 }], []], "-8 Invalid parameter, sequence number is out of range"],
      [[[], [], -1], "-8 Invalid parameter, locktime out of range"],
      [[[], [], 2 ** 32], "-8 Invalid parameter, locktime out of range"],
      [[[], [], 0, false, 0], "-8 Invalid parameter, version out of range(1~3)"],
      [[[], [], 0, false, 4], "-8 Invalid parameter, version out of range(1~3)"],
      [
        [[{ ...input, sequence: 4_294_967_294 }], [], 0, true],
        "-8 Invalid parameter combination: Sequence number(s) contradict replaceable option"
      ]
    ]))

  it.effect("may be replaced where one of its inputs says so", () =>
    Effect.gen(function*() {
      const both = [{ ...input, sequence: 4_294_967_295 }, { ...input, vout: 2 }]
      assert.match(yield* node.text("createrawtransaction", both, [], 0, true), /^"02000000/)
      assert.match(yield* node.text("createrawtransaction", [both[0]], [], 0, false), /^"02000000/)
    }))
})

describe("transactions that are read", () => {
  /** A witness and what is left without it; and one whose bytes can be read in both forms. */
  const withWitness = `02000000000101${ID}0100000000ffffffff0100000000000000000151010000000000`
  const onlyOutputs = "0200000000010000000000000000015100000000"
  /** A push that is longer than the script, which makes no sense. */
  const strange = `02000000000101${ID}0100000000ffffffff010000000000000000024c51010000000000`

  it.effect("have witnesses where that makes sense, or is asked for", () =>
    Effect.gen(function*() {
      const counts = (hex: string, ...more: ReadonlyArray<unknown>) =>
        Effect.map(node.show("decoderawtransaction", hex, ...more), (shown) =>
          typeof shown === "string" ? shown : [shown.vin.length, shown.vout.length, shown.vin[0]?.txinwitness?.[0]])
      const failed = "-22 TX decode failed"
      assert.deepStrictEqual(yield* counts(withWitness), [1, 1, ""])
      assert.deepStrictEqual(yield* counts(withWitness, true), [1, 1, ""])
      assert.deepStrictEqual(yield* counts(withWitness, false), failed)
      assert.deepStrictEqual(yield* counts(onlyOutputs), [0, 1, undefined])
      assert.deepStrictEqual(yield* counts(onlyOutputs, true), failed)
      const id = hash("sha256", hash("sha256", Buffer.from(onlyOutputs, "hex"), "buffer"), "buffer").reverse().toString(
        "hex"
      )
      const shown = yield* node.show("decoderawtransaction", onlyOutputs)
      assert.deepStrictEqual([shown.txid, shown.size, shown.weight], [id, 20, 80])
      assert.deepStrictEqual(yield* counts(onlyOutputs, false), [0, 1, undefined])
      assert.deepStrictEqual(yield* counts(strange), [1, 1, ""], "there is no other form of it")
      for (const none of ["", "0", "zz", "00", `${onlyOutputs}00`]) {
        assert.strictEqual(yield* counts(none), failed, none)
      }
    }))

  it.effect("become partially signed ones without their signatures", () =>
    Effect.gen(function*() {
      const refused = "-22 Inputs must not have scriptSigs and scriptWitnesses"
      assert.strictEqual(yield* node.text("converttopsbt", withWitness), refused)
      const scripted = `0200000001${ID}010000000151ffffffff01000000000000000001510000000`
      assert.strictEqual(yield* node.text("converttopsbt", `${scripted}0`), refused)
      for (const hex of [withWitness, `${scripted}0`]) {
        const psbt = yield* node.show("converttopsbt", hex, true)
        const [shown] = (yield* node.show("decodepsbt", psbt)).inputs
        assert.deepStrictEqual(["final_scriptSig" in shown, "final_scriptwitness" in shown], [false, false])
      }
      assert.strictEqual(yield* node.text("converttopsbt", "00"), "-22 TX decode failed")
      const bare = spending("ffffffff")
      assert.strictEqual(
        yield* node.text("converttopsbt", bare, false, true, 1),
        "-8 The PSBT version can only be 2 or 0"
      )
      const versions = yield* Effect.forEach([[], [2], [0]], (version) =>
        Effect.flatMap(node.show("converttopsbt", bare, false, null, ...version), (psbt) =>
          node.show("decodepsbt", psbt)))
      assert.deepStrictEqual(
        versions.map(({ psbt_version }) =>
          psbt_version
        ),
        [2, 2, 0]
      )
    }))
})

describe("partially signed transactions", () => {
  it.effect("are made in version 2 unless another one is wanted", () =>
    holds("createpsbt", [
      [
        [[input], [{ data: "00" }]],
        "\"cHNidP8BAgQCAAAAAQMEAAAAAAEEAQEBBQEBAfsEAgAAAAABDiCrq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urqwEPBAEAAAABEAT9////AAEDCAAAAAAAAAAAAQQDagEAAA==\""
      ],
      [
        [[input], [{ data: "00" }], 0, true, 2, 0],
        "\"cHNidP8BAD8CAAAAAaurq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urAQAAAAD9////AQAAAAAAAAAAA2oBAAAAAAAAAAA=\""
      ],
      [[[input], [], 0, true, 2, 1], "-8 The PSBT version can only be 2 or 0"]
    ]))

  it.effect("are not changed by a node that knows nothing of what they spend", () =>
    Effect.gen(function*() {
      const psbt = yield* node.show("createpsbt", [input], [{ data: "00" }])
      assert.strictEqual(yield* node.show("utxoupdatepsbt", psbt), psbt)
      assert.strictEqual(yield* node.show("utxoupdatepsbt", psbt, []), psbt)
      const processed = yield* node.show("descriptorprocesspsbt", psbt, [])
      assert.deepStrictEqual(processed, { psbt, complete: false })
      assert.deepStrictEqual(yield* node.show("finalizepsbt", psbt), { psbt, complete: false })
      assert.match(yield* node.text("utxoupdatepsbt", "x"), /^-22 /)
    }))

  it.effect("with a witness output that descriptors and the chain know have it, and a key's origin, but no signature", () =>
    Effect.gen(function*() {
      // wpkh() of the key above.
      const program = "00149a1c78a507689f6f54b847ad1cef1e614ee23f1e"
      const output = {
        value: 5n,
        script: Buffer.from(program, "hex"),
        isCoinbase: false,
        confirmations: 1,
        isSpent: false
      }
      const knowing = methodNode({
        answers: {
          indexes: () => [],
          mempoolTransaction: () => undefined,
          outputs: () => ({ tip: hashOf(1), outputs: [output] })
        }
      })
      const psbt = yield* knowing.show("createpsbt", [input], [{ data: "00" }])
      const described = `wpkh([deadbeef/1h/2]${KEY})`
      const updated = yield* knowing.show("utxoupdatepsbt", psbt, [described])
      const [shown] = (yield* knowing.show("decodepsbt", updated)).inputs
      assert.deepStrictEqual(shown.bip32_derivs, [
        { pubkey: KEY, master_fingerprint: "deadbeef", path: "m/1h/2" }
      ])
      assert.deepStrictEqual([shown.witness_utxo.amount, shown.witness_utxo.scriptPubKey.hex], [5e-8, program])
      assert.notProperty(shown, "partial_signatures")
      assert.deepStrictEqual(knowing.calls.slice(0, 3), [
        ["indexes", undefined],
        ["mempoolTransaction", { id: hashOf(0xab), kind: "txid" }],
        ["outputs", { outpoints: [{ txid: hashOf(0xab), vout: 1 }] }]
      ])
      const processed = yield* knowing.show("descriptorprocesspsbt", psbt, [described], "ALL", false)
      const [quiet] = (yield* knowing.show("decodepsbt", processed.psbt)).inputs
      assert.notProperty(quiet, "bip32_derivs")
      assert.property(quiet, "witness_utxo")
    }))

  it.effect("are shown with their fee, which is 0 where nothing is spent or paid", () =>
    holds("decodepsbt", [[
      [EMPTY_PSBT],
      "{\"global_xpubs\":[],\"tx_version\":2,\"fallback_locktime\":0,\"input_count\":0,\"output_count\":0," +
      "\"psbt_version\":2,\"proprietary\":[],\"unknown\":{},\"inputs\":[],\"outputs\":[],\"fee\":0.00000000}"
    ]]))

  it.effect("are joined in a random order with what each has, unless two have an input in common", () =>
    Effect.gen(function*() {
      const made = (vout: number, lockTime: number, version: number) =>
        node.show("createpsbt", [{ txid: ID, vout }], [{ data: `0${vout}` }], lockTime, true, version, 0)
      const [one, other] = [yield* made(1, 7, 1), yield* made(2, 5, 2)]
      const seen = new Set<string>()
      for (let i = 0; i < 60 && seen.size < 4; i++) {
        const { inputs, outputs, tx } = yield* node.show("decodepsbt", yield* node.show("joinpsbts", [one, other]))
        assert.deepStrictEqual([inputs.length, outputs.length, tx.version, tx.locktime], [2, 2, 2, 5])
        const places = tx.vin.map(({ vout }: { readonly vout: number }) => vout)
        assert.deepStrictEqual(places.toSorted(), [1, 2])
        seen.add(`${places} ${tx.vout[0].scriptPubKey.hex}`)
      }
      assert.strictEqual(seen.size, 4, "every order occurs")
      assert.strictEqual(yield* node.text("joinpsbts", [one, one]), `-8 Input ${ID}:1 exists in multiple PSBTs`)
      assert.strictEqual(yield* node.text("joinpsbts", [one]), "-8 At least two PSBTs are required to join PSBTs.")
      assert.strictEqual(
        yield* node.text("joinpsbts", [one, EMPTY_PSBT]),
        "-8 joinpsbts only operates on version 0 PSBTs"
      )
      assert.strictEqual(yield* node.text("combinepsbt", []), "-8 Parameter 'txs' cannot be empty")
      assert.strictEqual(yield* node.show("combinepsbt", [one]), one)
      assert.strictEqual(
        yield* node.text("combinepsbt", [one, other]),
        "-8 PSBTs not compatible (different transactions)"
      )
    }))
})

describe("createmultisig", () => {
  const script = `5121${KEY}51ae`
  const multi = `multi(1,${KEY})`

  it.effect("makes an address of each type, a legacy one unless another is wanted or possible", () =>
    Effect.gen(function*() {
      const made = (type: ReadonlyArray<string>, key = KEY) => node.show("createmultisig", 1, [key], ...type)
      const legacy = {
        address: "2N5GFE4CpRHeu1Jmy2eEWg2Pbgs7nE3E61s",
        redeemScript: script,
        descriptor: `sh(${multi})#xw60627d`
      }
      assert.deepStrictEqual(yield* made([]), legacy)
      assert.deepStrictEqual(yield* made(["legacy"]), legacy)
      assert.deepStrictEqual(yield* made(["p2sh-segwit"]), {
        address: "2NBcXuWRhJuPCi9HcijBwnMwpWwJVvbc4yd",
        redeemScript: script,
        descriptor: `sh(wsh(${multi}))#uj5ggvvs`
      })
      assert.deepStrictEqual(yield* made(["bech32"]), {
        address: "bcrt1qkt9r75wsp0232py03hsp4vnml6f3a5n0s94c0pm07uxm7df3gg6spx0m6m",
        redeemScript: script,
        descriptor: `wsh(${multi})#4pphzlq4`
      })
      const long = yield* made(["bech32"], LONG)
      assert.match(long.descriptor, /^sh\(multi\(1,04/)
      assert.match(long.warnings[0], /^Unable to make chosen address type/)
      assert.notProperty(yield* made(["legacy"], LONG), "warnings")
    }))

  it.effect("is refused with the reason", () =>
    holds("createmultisig", [
      [[0, [KEY]], "-8 a multisignature address must require at least one key to redeem"],
      [[2, [KEY]], "-8 not enough keys supplied (got 1 keys, but need at least 2 to redeem)"],
      [
        [1, Array.from({ length: 21 }, () => KEY)],
        "-8 Number of keys involved in the multisignature address creation > 20"
      ],
      [[1, Array.from({ length: 16 }, () => KEY)], "-8 redeemScript exceeds size limit: 547 > 520"],
      [[1, ["zz"]], "-5 Pubkey \"zz\" must be a hex string"],
      [[1, ["00"]], "-5 Pubkey \"00\" must have a length of either 33 or 65 bytes"],
      [[1, [`05${KEY.slice(2)}`]], `-5 Pubkey "05${KEY.slice(2)}" must be cryptographically valid.`],
      [[1, [KEY], "bech32m"], "-5 createmultisig cannot create bech32m multisig addresses"],
      [[1, [KEY], "x"], "-5 Unknown address type 'x'"]
    ]))

  it.effect("takes twenty keys where there is room for them, and fifteen in a legacy one", () =>
    Effect.gen(function*() {
      const keys = (count: number) => Array.from({ length: count }, () => KEY)
      assert.property(yield* node.show("createmultisig", 20, keys(20), "bech32"), "address")
      assert.property(yield* node.show("createmultisig", 15, keys(15)), "address")
    }))
})
