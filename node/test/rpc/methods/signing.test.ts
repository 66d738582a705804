import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hashOf, methodNode, shownHash } from "../method-node.ts"

const ID = shownHash(0xab)
const ADDRESS = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
/** The key 1, its hash, and the script that pays to it. */
const WIF = "cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA"
const KEY_HASH = "751e76e8199196d454941c45d1b3a323f1433bd6"
const PAYS = `0014${KEY_HASH}`

interface Known {
  readonly value: bigint
  readonly script: Uint8Array
}

/** A node whose chain has these outputs, by their places in the transaction. */
const withOutputs = (...outputs: ReadonlyArray<Known | undefined>) =>
  methodNode({
    answers: {
      outputs: ({ outpoints }) => ({ tip: hashOf(1), outputs: outpoints.map((_: unknown, i: number) => outputs[i]) })
    }
  })
const paying = (value: bigint): Known => ({ value, script: new Uint8Array(Buffer.from(PAYS, "hex")) })
const made = (inputs: ReadonlyArray<object>, ...more: ReadonlyArray<unknown>): Effect.Effect<string> =>
  methodNode().show("createrawtransaction", inputs, [{ [ADDRESS]: 1 }], ...more)
const input = { txid: ID, vout: 1 }

describe("combinerawtransaction", () => {
  const compatible = "-8 Transaction number 3 not compatible with first transaction"

  it.effect("takes transactions that differ in signatures alone, and says which one does not fit", () =>
    Effect.gen(function*() {
      const node = withOutputs(paying(1n), paying(1n))
      const first = yield* made([input])
      const others = [
        yield* made([{ ...input, sequence: 1 }]),
        yield* made([{ ...input, vout: 2 }]),
        yield* made([{ ...input, txid: shownHash(0xac) }]),
        yield* made([input, { ...input, vout: 2 }]),
        yield* made([input], 1),
        yield* made([input], 0, true, 1),
        first.replace("00e1f505", "01e1f505"),
        first.replace("88b03f58", "88b03f59"),
        yield* methodNode().show("createrawtransaction", [input], [{ [ADDRESS]: 1 }, { data: "00" }])
      ]
      for (const other of others) {
        assert.strictEqual(yield* node.text("combinerawtransaction", [first, first, other]), compatible, other)
      }
      assert.strictEqual(yield* node.show("combinerawtransaction", [first, first]), first)
      assert.strictEqual(
        yield* node.text("combinerawtransaction", [others[0], first]),
        "-8 Transaction number 2 not compatible with first transaction"
      )
    }))

  it.effect("needs two at least, with inputs that are all known", () =>
    Effect.gen(function*() {
      const first = yield* made([input])
      const both = yield* made([input, { ...input, vout: 2 }])
      const missing = "-22 Missing transactions. At least two transactions required."
      const node = withOutputs(paying(1n))
      for (const few of [[], [first]]) assert.strictEqual(yield* node.text("combinerawtransaction", few), missing)
      const unknown = "-25 Input not found or already spent"
      assert.strictEqual(yield* withOutputs().text("combinerawtransaction", [first, first]), unknown)
      assert.strictEqual(yield* node.text("combinerawtransaction", [both, both]), unknown)
      const failed = "-22 TX decode failed for tx 1. Make sure the tx has at least one input."
      for (const none of ["00", "zz", yield* made([])]) {
        assert.strictEqual(yield* node.text("combinerawtransaction", [first, none]), failed)
      }
      assert.match(yield* node.text("combinerawtransaction", [5, first]), /^-3 /)
    }))

  it.effect("keeps the signatures, the version and the lock time of all", () =>
    Effect.gen(function*() {
      const inputs = [{ ...input, sequence: 5 }, { ...input, vout: 2, sequence: 6 }]
      const node = withOutputs(paying(100_000_000n), paying(100_000_000n))
      const raw = yield* made(inputs, 77, true, 1)
      const { complete, hex: whole } = yield* node.show("signrawtransactionwithkey", raw, [WIF])
      assert.isTrue(complete)
      assert.strictEqual(yield* node.show("combinerawtransaction", [raw, whole]), whole)
      assert.strictEqual(yield* node.show("combinerawtransaction", [whole, raw]), whole)
      const shown = yield* node.show("decoderawtransaction", whole)
      assert.deepStrictEqual([shown.version, shown.locktime, shown.vin[1].sequence], [1, 77, 6])
    }))
})

describe("signrawtransactionwithkey", () => {
  it.effect("says of each input that is not satisfied why, and what stands in it", () =>
    Effect.gen(function*() {
      const raw = yield* made([{ ...input, sequence: 9 }])
      const { errors, ...rest } = yield* withOutputs(paying(5n)).show("signrawtransactionwithkey", raw, [])
      assert.deepStrictEqual(rest, { hex: raw, complete: false })
      const [{ error, ...place }] = errors
      assert.deepStrictEqual(place, { txid: ID, vout: 1, witness: [], scriptSig: "", sequence: 9 })
      assert.strictEqual(error, "Witness program hash mismatch")
      const signed = yield* withOutputs(paying(5n)).show("signrawtransactionwithkey", raw, [WIF])
      assert.deepStrictEqual(Object.keys(signed), ["hex", "complete"])
      assert.isTrue(signed.complete)
      const unknown = yield* withOutputs().show("signrawtransactionwithkey", raw, [WIF])
      assert.strictEqual(unknown.errors[0].error, "Input not found or already spent")
    }))

  it.effect("takes outputs that the caller knows, whose members are of their kinds", () =>
    Effect.gen(function*() {
      const raw = yield* made([input])
      const prevout = { txid: ID, vout: 1, scriptPubKey: PAYS, amount: 1 }
      const said = (...params: ReadonlyArray<unknown>) =>
        withOutputs().text("signrawtransactionwithkey", raw, [WIF], ...params)
      assert.match(yield* said([prevout]), /"complete":true/)
      assert.match(yield* said([{ ...prevout, amount: "0.5" }]), /"complete":true/)
      assert.match(yield* said([{ ...prevout, vout: 0 }]), /"complete":false/)
      assert.match(yield* said([{ ...prevout, txid: shownHash(1) }]), /"complete":false/)
      const { amount: _, ...unvalued } = prevout
      const rows: ReadonlyArray<readonly [prevout: unknown, message: string]> = [
        [unvalued, `-3 Missing amount for CTxOut(nValue=21000000.00000000, scriptPubKey=${PAYS.slice(0, 30)})`],
        [5, "-22 expected object with {\"txid'\",\"vout\",\"scriptPubKey\"}"],
        [{ ...prevout, txid: 5 }, "-3 JSON value of type number for field txid is not of expected type string"],
        [{ ...prevout, vout: "1" }, "-3 JSON value of type string for field vout is not of expected type number"],
        [{ txid: ID, vout: 1 }, "-3 Missing scriptPubKey"],
        [{ scriptPubKey: PAYS, txid: ID, vout: null }, "-3 Missing vout"],
        [{ ...prevout, vout: -1 }, "-22 vout cannot be negative"],
        [{ ...prevout, txid: "ab" }, "-8 txid must be of length 64 (not 2, for 'ab')"],
        [{ ...prevout, scriptPubKey: "0" }, "-8 scriptPubKey must be hexadecimal string (not '0')"],
        [{ ...prevout, scriptPubKey: "" }, "-8 scriptPubKey must be hexadecimal string (not '')"],
        [{ ...prevout, amount: -1 }, "-3 Amount out of range"]
      ]
      for (const [given, message] of rows) assert.strictEqual(yield* said([given]), message, JSON.stringify(given))
      assert.strictEqual(
        yield* said([prevout, { ...prevout, scriptPubKey: "51" }]),
        "-22 Previous output scriptPubKey mismatch:"
      )
      assert.match(yield* said([prevout, prevout]), /"complete":true/)
      assert.match(
        yield* withOutputs(paying(1n)).text("signrawtransactionwithkey", raw, [WIF], [{
          ...prevout,
          scriptPubKey: "51"
        }]),
        /^-22 Previous output scriptPubKey mismatch:/
      )
    }))

  it.effect("takes the scripts behind hashes, which must be those that the output asks for", () =>
    Effect.gen(function*() {
      const raw = yield* made([input])
      const { segwit, p2sh } = yield* methodNode().show("decodescript", "51")
      const scriptOf = (address: string) =>
        Effect.map(methodNode().show("validateaddress", address), ({ scriptPubKey }) => scriptPubKey as string)
      const [sh, wsh, shwsh] = [yield* scriptOf(p2sh), segwit.hex as string, yield* scriptOf(segwit["p2sh-segwit"])]
      const said = (scriptPubKey: string, scripts: object) =>
        withOutputs().text("signrawtransactionwithkey", raw, [WIF], [{
          txid: ID,
          vout: 1,
          scriptPubKey,
          amount: 1,
          ...scripts
        }])
      for (
        const [script, scripts] of [
          [sh, { redeemScript: "51" }],
          [wsh, { witnessScript: "51" }],
          [wsh, { redeemScript: "51" }],
          [shwsh, { redeemScript: wsh, witnessScript: "51" }],
          [shwsh, { redeemScript: "51", witnessScript: "51" }],
          [shwsh, { witnessScript: "51", redeemScript: null }]
        ] as const
      ) assert.match(yield* said(script, scripts), /"complete":true/, JSON.stringify(scripts))
      const unfit = "-8 redeemScript/witnessScript does not match scriptPubKey"
      const strange = "-8 redeemScript does not correspond to witnessScript"
      assert.strictEqual(yield* said(sh, { redeemScript: "52" }), unfit)
      assert.strictEqual(yield* said(wsh, { witnessScript: "52" }), unfit)
      assert.strictEqual(yield* said(wsh, { redeemScript: "52", witnessScript: "51" }), strange)
      assert.strictEqual(yield* said(sh, {}), "-8 Missing redeemScript/witnessScript")
      assert.match(yield* said(sh, { redeemScript: 5 }), /^-3 JSON value of type number for field redeemScript/)
      assert.strictEqual(yield* said(sh, { redeemScript: "0" }), "-8 redeemScript must be hexadecimal string (not '0')")
      assert.match(yield* said(PAYS, { redeemScript: 5 }), /"complete":true/, "nothing asks for a script")
    }))

  it.effect("takes names of what signatures cover, and keys of the network", () =>
    Effect.gen(function*() {
      const raw = yield* made([input])
      const signed = (...params: ReadonlyArray<unknown>) =>
        Effect.map(withOutputs(paying(5n)).show("signrawtransactionwithkey", raw, ...params), (answer) =>
          typeof answer === "string" ? answer : answer.hex as string)
      const ends: ReadonlyArray<readonly [name: string, byte: string]> = [
        ["ALL", "01"],
        ["NONE", "02"],
        ["SINGLE", "03"],
        ["ALL|ANYONECANPAY", "81"],
        ["NONE|ANYONECANPAY", "82"],
        ["SINGLE|ANYONECANPAY", "83"],
        ["DEFAULT", "01"]
      ]
      for (const [name, byte] of ends) {
        assert.include(yield* signed([WIF], [], name), `${byte}210279be667e`, name)
      }
      assert.include(yield* signed([WIF]), "01210279be667e")
      assert.strictEqual(yield* signed([WIF], [], "all"), "-8 'all' is not a valid sighash parameter.")
      assert.strictEqual(yield* signed([WIF], [], "toString"), "-8 'toString' is not a valid sighash parameter.")
      assert.strictEqual(yield* signed(["x"]), "-5 Invalid private key")
      assert.match(yield* signed([5]), /^-3 /)
      const none = "-22 TX decode failed. Make sure the tx has at least one input."
      for (const wrong of ["00", yield* made([])]) {
        assert.strictEqual(yield* withOutputs().text("signrawtransactionwithkey", wrong, []), none)
      }
    }))
})
