import { assert, describe, it } from "@effect/vitest"
import { createBase58check } from "@scure/base"
import * as Effect from "effect/Effect"
import { ECDH, createECDH, hash } from "node:crypto"
import type { RpcAnswer } from "./rpc-client.ts"
import { regtestServer } from "./regtest-server.ts"

const base58check = createBase58check((data: Uint8Array) => new Uint8Array(hash("sha256", data, "buffer")))

interface TestKey {
  readonly text: string
  readonly publicKey: string
}

/** A key of regtest: its text and its public key. */
const keyFrom = (byte: number, compressed = true): TestKey => {
  const secret = new Uint8Array(32).fill(byte)
  const curve = createECDH("secp256k1")
  curve.setPrivateKey(secret)
  const point = ECDH.convertKey(
    curve.getPublicKey(),
    "secp256k1",
    undefined,
    "hex",
    compressed ? "compressed" : "uncompressed"
  )
  return {
    text: base58check.encode(Uint8Array.of(0xef, ...secret, ...(compressed ? [1] : []))),
    publicKey: String(point)
  }
}

const A = keyFrom(1)
const B = keyFrom(2)
const C = keyFrom(3)
const LONG = keyFrom(4, false)

const ALL_KEYS = [A, B, C, LONG].map(({ text }) => text)

const multi = `multi(2,${A.publicKey},${B.publicKey},${C.publicKey})`

/** Descriptors that keys alone can spend, and those whose scripts must be given. */
const SPENDABLE: ReadonlyArray<string> = [
  `pk(${A.publicKey})`,
  `pk(${LONG.publicKey})`,
  `pkh(${A.publicKey})`,
  `pkh(${LONG.publicKey})`,
  `wpkh(${B.publicKey})`,
  `sh(wpkh(${B.publicKey}))`,
  `rawtr(${C.publicKey.slice(2)})`,
  multi
]

const SCRIPTED: ReadonlyArray<readonly [descriptor: string, scripts: ReadonlyArray<"redeemScript" | "witnessScript">]> =
  [
    [`sh(${multi})`, ["redeemScript"]],
    [`wsh(${multi})`, ["witnessScript"]],
    [`sh(wsh(${multi}))`, ["witnessScript"]],
    [`wsh(pkh(${C.publicKey}))`, ["witnessScript"]]
  ]

const regtest = Effect.map(regtestServer(), ({ call }) => call)

type Call = Effect.Success<typeof regtest>

interface Unspent {
  readonly txid: string
  readonly vout: number
  readonly scriptPubKey: string
  readonly amount: number
  readonly desc: string
}

const result = <A>(answer: RpcAnswer): A => {
  assert.isUndefined(answer.error, JSON.stringify(answer.error))
  return answer.result as A
}

/** Coins of these descriptors, one each, old enough to be spent. */
const coinsOf = Effect.fnUntraced(function*(call: Call, descriptors: ReadonlyArray<string>) {
  for (const descriptor of descriptors) result(yield* call("generatetodescriptor", 1, descriptor))
  result(yield* call("generatetodescriptor", 100, "raw(51)"))
  const found: Array<Unspent> = []
  for (const descriptor of descriptors) {
    const { success, unspents } = result<{ readonly success: boolean; readonly unspents: ReadonlyArray<Unspent> }>(
      yield* call("scantxoutset", "start", [descriptor])
    )
    assert.strictEqual(success, true)
    assert.strictEqual(unspents.length, 1, descriptor)
    found.push(unspents[0]!)
  }
  return found
})

interface Signed {
  readonly hex: string
  readonly complete: boolean
  readonly errors?: ReadonlyArray<{ readonly error: string }>
}

const spending = Effect.fnUntraced(function*(call: Call, coins: ReadonlyArray<Unspent>) {
  const inputs = coins.map(({ txid, vout }) => ({ txid, vout }))
  return result<string>(yield* call("createrawtransaction", inputs, [{ data: "00" }]))
})

const MULTISIG_SCRIPT = `52${[A, B, C].map(({ publicKey }) => `21${publicKey}`).join("")}53ae`

const HASH_C = hash("ripemd160", hash("sha256", Buffer.from(C.publicKey, "hex"), "buffer"), "hex")

const scriptsFor = (coin: Unspent, descriptor: string, names: ReadonlyArray<string>) => {
  const script = descriptor.includes("pkh(") ? `76a914${HASH_C}88ac` : MULTISIG_SCRIPT
  const { amount, scriptPubKey, txid, vout } = coin
  return { txid, vout, scriptPubKey, amount, ...Object.fromEntries(names.map((name) => [name, script])) }
}

/** A key with an even y, in full but for the first byte. */
const HYBRID =
  "c41c91e0db01603a48dd34d09ea35cc608e91274deee2ec3177bc29c50910be1dad55a03b7733e3ceb323171bcdc6bc442f0188d7debe95872ab8eaea87eed5a"

describe("raw transactions", () => {
  it.live("of every form are signed so that a block takes them", () =>
    Effect.gen(function*() {
      const call = yield* regtest
      const descriptors = [...SPENDABLE, ...SCRIPTED.map(([descriptor]) => descriptor)]
      const coins = yield* coinsOf(call, descriptors)
      const observed = SCRIPTED.map(([descriptor, names], i) =>
        scriptsFor(coins[SPENDABLE.length + i]!, descriptor, names)
      )
      for (const type of ["DEFAULT", "ALL", "NONE|ANYONECANPAY", "SINGLE"]) {
        const raw = yield* spending(call, coins)
        const signed = result<Signed>(yield* call("signrawtransactionwithkey", raw, ALL_KEYS, observed, type))
        // SINGLE signs an output of the same place, and there is but one.
        if (type === "SINGLE") {
          assert.strictEqual(signed.complete, false)
          continue
        }
        assert.deepStrictEqual(signed.errors, undefined)
        assert.strictEqual(signed.complete, true)
        const block = result<{ readonly hex: string }>(yield* call("generateblock", "raw(51)", [signed.hex], false))
        assert.strictEqual((yield* call("getblocktemplate", { mode: "proposal", data: block.hex })).result, null, type)
      }
    }))

  it.live("signed by several are joined to one", () =>
    Effect.gen(function*() {
      const call = yield* regtest
      const descriptors = [multi, `sh(${multi})`, `wsh(${multi})`, `wpkh(${B.publicKey})`]
      const coins = yield* coinsOf(call, descriptors)
      const observed = [["redeemScript"], ["witnessScript"]].map((names, i) =>
        scriptsFor(coins[i + 1]!, descriptors[i + 1]!, names)
      )
      const raw = yield* spending(call, coins)
      const parts: Array<string> = []
      for (const { text } of [A, B]) {
        const part = result<Signed>(yield* call("signrawtransactionwithkey", raw, [text], observed))
        assert.strictEqual(part.complete, false)
        parts.push(part.hex)
      }
      const joined = result<string>(yield* call("combinerawtransaction", parts))
      const again = result<Signed>(yield* call("signrawtransactionwithkey", joined, []))
      assert.deepStrictEqual(again, { hex: joined, complete: true })
      const whole = result<Signed>(yield* call("signrawtransactionwithkey", raw, [A.text, B.text], observed))
      assert.strictEqual(joined, whole.hex)
      const block = result<{ readonly hash: string }>(yield* call("generateblock", "raw(51)", [joined]))
      assert.strictEqual((yield* call("getbestblockhash")).result, block.hash)
      assert.deepStrictEqual((yield* call("combinerawtransaction", parts)).error, {
        code: -25,
        message: "Input not found or already spent"
      })
    }))

  it.live("may pay to hybrid keys, which no descriptor has", () =>
    Effect.gen(function*() {
      const call = yield* regtest
      const made = result(yield* call("createmultisig", 1, [`06${HYBRID}`], "bech32"))
      assert.deepStrictEqual(made, {
        address: "2MxJzBrzbjfh5DnVgKJMEhcquaSC7LZ3mP6",
        redeemScript: `514106${HYBRID}51ae`,
        descriptor: "addr(2MxJzBrzbjfh5DnVgKJMEhcquaSC7LZ3mP6)#2lwxqpur",
        warnings: ["Unable to make chosen address type, please ensure no uncompressed public keys are present."]
      })
    }))

  it.live("are refused with the reason", () =>
    Effect.gen(function*() {
      const call = yield* regtest
      const txid = "ab".repeat(32)
      const raw = yield* spending(call, [{ txid, vout: 0, scriptPubKey: "", amount: 0, desc: "" }])
      const prevout = {
        txid,
        vout: 0,
        scriptPubKey: `0014${hash("ripemd160", hash("sha256", Buffer.from(A.publicKey, "hex"), "buffer"), "hex")}`
      }
      const missing = yield* call("signrawtransactionwithkey", raw, [A.text], [prevout])
      assert.deepStrictEqual(missing.error, {
        code: -3,
        message: `Missing amount for CTxOut(nValue=21000000.00000000, scriptPubKey=${
          prevout.scriptPubKey.slice(0, 30)
        })`
      })
      const signed = result<Signed>(
        yield* call("signrawtransactionwithkey", raw, [A.text], [{ ...prevout, amount: 1 }])
      )
      assert.strictEqual(signed.complete, true)
      const unknown = result<Signed>(yield* call("signrawtransactionwithkey", raw, [A.text]))
      assert.strictEqual(unknown.errors?.[0]?.error, "Input not found or already spent")
      const wrong: ReadonlyArray<
        readonly [method: string, params: ReadonlyArray<unknown>, code: number, message: string]
      > = [
        ["signrawtransactionwithkey", ["00", []], -22, "TX decode failed. Make sure the tx has at least one input."],
        ["signrawtransactionwithkey", [raw, ["foo"]], -5, "Invalid private key"],
        ["signrawtransactionwithkey", [raw, [], [], "all"], -8, "'all' is not a valid sighash parameter."],
        ["signrawtransactionwithkey", [raw, [], [{ ...prevout, vout: -1 }]], -22, "vout cannot be negative"],
        // In the order of names: Bitcoin Core has the members it asks for in a sorted map.
        ["signrawtransactionwithkey", [raw, [], [{}]], -3, "Missing scriptPubKey"],
        [
          "signrawtransactionwithkey",
          [raw, [], [{ ...prevout, scriptPubKey: `a914${"00".repeat(20)}87` }]],
          -8,
          "Missing redeemScript/witnessScript"
        ],
        ["combinerawtransaction", [[]], -22, "Missing transactions. At least two transactions required."],
        ["combinerawtransaction", [[raw]], -22, "Missing transactions. At least two transactions required."],
        ["combinerawtransaction", [["00"]], -22, "TX decode failed for tx 0. Make sure the tx has at least one input."],
        ["generatetodescriptor", [1, "bad()"], -5, "'bad()' is not a valid descriptor function"],
        ["scantxoutset", ["stop"], -8, "Invalid action 'stop'"],
        ["scantxoutset", ["start", [5]], -8, "Scan object needs to be either a string or an object"],
        ["scantxoutset", ["start", [{ range: 1 }]], -8, "Descriptor needs to be provided in scan object"],
        [
          "createrawtransaction",
          [[], [{ data: "00", x: 1 }]],
          -8,
          "Invalid parameter, key-value pair must contain exactly one key"
        ],
        ["createrawtransaction", [[], [5]], -8, "Invalid parameter, key-value pair not an object as expected"],
        ["createrawtransaction", [[], [], 0, true, 4], -8, "Invalid parameter, version out of range(1~3)"],
        ["createrawtransaction", [[], { data: "" }], -8, "Data must be hexadecimal string (not '')"],
        // The amount is read before the address is judged.
        ["createrawtransaction", [[], { x: "01" }], -3, "Invalid amount"],
        ["createrawtransaction", [[], { x: 1 }], -5, "Invalid Bitcoin address: x"],
        ["createmultisig", [1, [`07${HYBRID}`]], -5, `Pubkey "07${HYBRID}" must be cryptographically valid.`]
      ]
      for (const [method, params, code, message] of wrong) {
        assert.deepStrictEqual(
          (yield* call(method, ...params)).error,
          { code, message },
          `${method} ${JSON.stringify(params)}`
        )
      }
    }))

  it.live(
    "that differ in more than signatures are not combined; the same one twice is itself",
    () =>
      Effect.gen(function*() {
        const call = yield* regtest
        const [coin] = yield* coinsOf(call, [`wpkh(${B.publicKey})`])
        const { txid, vout } = coin!
        const input = { txid, vout }
        const outputs = [{ [B_ADDRESS]: 1 }]
        const first = result<string>(yield* call("createrawtransaction", [input], outputs))
        const others: ReadonlyArray<ReadonlyArray<unknown>> = [
          [[input], [{ [B_ADDRESS]: 2 }]],
          [[input], [{ data: "00" }]],
          [[input], [...outputs, { data: "00" }]],
          [[input], outputs, 1],
          [[input], outputs, 0, true, 1],
          [[{ ...input, sequence: 1 }], outputs],
          [[{ txid, vout: vout + 1 }], outputs],
          [[{ txid: "ab".repeat(32), vout }], outputs],
          [[input, { txid, vout: vout + 1 }], outputs]
        ]
        for (const params of others) {
          const other = result<string>(yield* call("createrawtransaction", ...params))
          assert.deepStrictEqual(
            (yield* call("combinerawtransaction", [first, first, other])).error,
            { code: -8, message: "Transaction number 3 not compatible with first transaction" },
            JSON.stringify(params)
          )
        }
        const signed = result<Signed>(yield* call("signrawtransactionwithkey", first, [B.text]))
        assert.strictEqual(signed.complete, true)
        assert.strictEqual(result<string>(yield* call("combinerawtransaction", [signed.hex, signed.hex])), signed.hex)
        assert.strictEqual(result<string>(yield* call("combinerawtransaction", [first, signed.hex])), signed.hex)
      })
  )

  it.live(
    "are signed with a redeemScript beside a witnessScript only if they belong together",
    () =>
      Effect.gen(function*() {
        const call = yield* regtest
        const sha256 = (digits: string): string => hash("sha256", Buffer.from(digits, "hex"), "hex")
        const hash160 = (digits: string): string => hash("ripemd160", Buffer.from(sha256(digits), "hex"), "hex")
        const program = `0020${sha256(MULTISIG_SCRIPT)}`
        const other = "51"
        const forms: Readonly<Record<string, string>> = {
          wsh: program,
          shwsh: `a914${hash160(program)}87`,
          sh: `a914${hash160(MULTISIG_SCRIPT)}87`
        }
        const strange = "redeemScript does not correspond to witnessScript"
        const unfit = "redeemScript/witnessScript does not match scriptPubKey"
        const cases: ReadonlyArray<
          readonly [form: string, scripts: Readonly<Record<string, string>>, refusal: string | undefined]
        > = [
          ["wsh", { witnessScript: MULTISIG_SCRIPT, redeemScript: MULTISIG_SCRIPT }, undefined],
          ["wsh", { witnessScript: MULTISIG_SCRIPT, redeemScript: program }, undefined],
          ["wsh", { witnessScript: MULTISIG_SCRIPT, redeemScript: "6a" }, strange],
          ["wsh", { redeemScript: MULTISIG_SCRIPT }, undefined],
          ["wsh", { redeemScript: "6a" }, unfit],
          ["wsh", { witnessScript: "6a" }, unfit],
          ["shwsh", { witnessScript: MULTISIG_SCRIPT, redeemScript: program }, undefined],
          ["shwsh", { witnessScript: MULTISIG_SCRIPT, redeemScript: `0020${sha256(other)}` }, strange],
          ["shwsh", { redeemScript: MULTISIG_SCRIPT }, undefined],
          ["shwsh", { redeemScript: program }, undefined],
          ["shwsh", { witnessScript: other, redeemScript: `0020${sha256(other)}` }, unfit],
          ["sh", { redeemScript: MULTISIG_SCRIPT }, undefined],
          ["sh", { witnessScript: MULTISIG_SCRIPT }, undefined],
          ["sh", { witnessScript: other, redeemScript: other }, unfit]
        ]
        const txid = "ab".repeat(32)
        const raw = yield* spending(call, [{ txid, vout: 0, scriptPubKey: "", amount: 0, desc: "" }])
        for (const [form, scripts, refusal] of cases) {
          const prevout = { txid, vout: 0, scriptPubKey: forms[form], amount: 1, ...scripts }
          const { error } = yield* call("signrawtransactionwithkey", raw, [A.text], [prevout])
          assert.deepStrictEqual(
            error,
            refusal === undefined ? undefined : { code: -8, message: refusal },
            `${form} ${JSON.stringify(scripts)}`
          )
        }
        const right = { txid, vout: 0, scriptPubKey: forms["wsh"], amount: 1, witnessScript: MULTISIG_SCRIPT }
        const leaning = { txid, vout: 1, scriptPubKey: forms["wsh"], amount: 1, witnessScript: other }
        assert.deepStrictEqual(
          (yield* call("signrawtransactionwithkey", raw, [A.text], [right, leaning])).error,
          { code: -8, message: unfit },
          "the scripts of another output are no excuse"
        )
      })
  )

  it.live("without inputs are read in the form without witnesses", () =>
    Effect.gen(function*() {
      const call = yield* regtest
      const raw = result<string>(
        yield* call("createrawtransaction", [], [{ data: "00" }, { [B_ADDRESS]: "0.00000001" }])
      )
      const { vin, vout } = result<
        { readonly vin: ReadonlyArray<unknown>; readonly vout: ReadonlyArray<{ readonly value: number }> }
      >(
        yield* call("decoderawtransaction", raw)
      )
      assert.deepStrictEqual([vin.length, vout.map(({ value }) => value)], [0, [0, 1e-8]])
      assert.strictEqual((yield* call("decoderawtransaction", raw, true)).error?.message, "TX decode failed")
    }))
})

const B_ADDRESS = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
