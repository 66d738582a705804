import { nobleCrypto } from "@lockstep/kernel/noble"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { encodePsbt } from "../../src/psbt/encode-psbt.ts"
import type { Psbt } from "../../src/psbt/psbt.ts"
import { bytes, decoded, faultOf, type Field, field, hex, serialized } from "./build.ts"

/** A transaction with two outputs. */
const PREVIOUS = `0200000001${"00".repeat(32)}0700000000ffffffff` +
  "02e80300000000000001518813000000000000015100000000"
const PREVIOUS_ID = hex(nobleCrypto.sha256d(bytes(PREVIOUS)))

const globals = (inputs = 1, outputs = 1): ReadonlyArray<Field> => [
  field(2, "02000000"),
  field(4, inputs.toString(16).padStart(2, "0")),
  field(5, outputs.toString(16).padStart(2, "0")),
  field(0xfb, "02000000")
]
const spending = (vout: string, txid = PREVIOUS_ID): ReadonlyArray<Field> => [field(0x0e, txid), field(0x0f, vout)]
const OUTPUT = [field(3, "8bbdeb0b00000000"), field(4, "51")]

const withInput = (...fields: ReadonlyArray<Field>): Uint8Array =>
  serialized(globals(), [...spending("00000000"), ...fields], OUTPUT)
const inputOf = (...fields: ReadonlyArray<Field>): Psbt["inputs"][number] =>
  Result.getOrThrow(decoded(withInput(...fields))).inputs[0]!

describe("the transaction that an input spends", () => {
  it("has the id and the output that the input names", () => {
    const faultAt = (vout: string, txid = PREVIOUS_ID) =>
      faultOf(serialized(globals(), [...spending(vout, txid), field(0, PREVIOUS)], OUTPUT))
    for (const vout of ["00000000", "01000000"]) assert.isUndefined(faultAt(vout))
    for (const vout of ["02000000", "03000000"]) {
      assert.strictEqual(faultAt(vout), "Input specifies output index that does not exist: iostream error")
    }
    const other = `${PREVIOUS_ID.slice(0, -2)}${PREVIOUS_ID.endsWith("00") ? "01" : "00"}`
    assert.strictEqual(faultAt("00000000", other), "Non-witness UTXO does not match outpoint hash: iostream error")
    assert.strictEqual(inputOf(field(0, PREVIOUS)).nonWitnessUtxo!.outputs.length, 2)
  })

  it("is none where the value of its output is -1", () => {
    const worth = (value: string) => inputOf(field(1, `${value}0151`)).witnessUtxo
    assert.isUndefined(worth("ffffffffffffffff"))
    assert.strictEqual(worth("0000000000000000")!.value, 0n)
    assert.strictEqual(worth("feffffffffffffff")!.value, -2n)
  })
})

describe("maps of a partially signed transaction", () => {
  it("are as many as are counted", () => {
    const input = spending("00000000")
    assert.isUndefined(faultOf(serialized(globals(2, 2), input, input, OUTPUT, OUTPUT)))
    assert.isUndefined(faultOf(serialized(globals(0, 0))))
    assert.strictEqual(
      faultOf(serialized(globals(2, 0), input)),
      "Inputs provided does not match the number of inputs in transaction.: iostream error"
    )
    assert.strictEqual(
      faultOf(serialized(globals(0, 2), OUTPUT)),
      "Outputs provided does not match the number of outputs in transaction.: iostream error"
    )
    assert.strictEqual(faultOf(Uint8Array.of(...serialized(globals(0, 1), OUTPUT), 0)), "extra data after PSBT")
  })
})

describe("values that are empty", () => {
  it("count as missing: scripts, witnesses, keys and hashes of zeros", () => {
    const names = [
      [0x04, "redeemScript"],
      [0x05, "witnessScript"],
      [0x07, "finalScript"]
    ] as const
    for (const [type, name] of names) {
      assert.isUndefined(inputOf(field(type, ""))[name], name)
      assert.strictEqual(hex(inputOf(field(type, "51"))[name]!), "51", name)
      assert.strictEqual(hex(inputOf(field(type, "5152"))[name]!), "5152", name)
    }
    assert.isUndefined(inputOf(field(0x08, "00")).finalWitness)
    assert.deepStrictEqual(inputOf(field(0x08, "0100")).finalWitness!.map(hex), [""])
    assert.deepStrictEqual(inputOf(field(0x08, "0201aa02bbcc")).finalWitness!.map(hex), ["aa", "bbcc"])
    for (const [type, name] of [[0x17, "taprootInternalKey"], [0x18, "taprootMerkleRoot"]] as const) {
      assert.isUndefined(inputOf(field(type, "00".repeat(32)))[name], name)
      const last = `${"00".repeat(31)}01`
      assert.strictEqual(hex(inputOf(field(type, last))[name]!), last, name)
    }
  })

  it("are no signature, and the type of a signature has four bytes with a sign", () => {
    const key = "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"
    for (const signature of ["", "00", "3006020101020101", "300602010102010104"]) {
      assert.strictEqual(
        faultOf(withInput(field(2, signature, key))),
        "Signature is not a valid encoding: iostream error",
        signature
      )
    }
    assert.strictEqual(inputOf(field(2, "300602010102010103", key)).partialSignatures.size, 1)
    assert.strictEqual(inputOf(field(3, "02000000")).sighashType, 2)
    assert.strictEqual(inputOf(field(3, "ffffffff")).sighashType, -1)
  })

  it("are kept in fields of unknown types and of a program's own", () => {
    const input = inputOf(field(0xfc, "", "0000"), field(0xfc, "01", "02cafe05aa"), field(0x50, "", "01"))
    assert.deepStrictEqual(
      [...input.proprietary.values()].map(({ identifier, subtype, value }) => [hex(identifier), subtype, hex(value)]),
      [["", 0, ""], ["cafe", 5, "01"]]
    )
    assert.deepStrictEqual([...input.unknown.values()].map(({ key }) => hex(key)), ["5001"])
    const written = encodePsbt(Result.getOrThrow(decoded(withInput(field(0x50, "", "01")))))
    assert.strictEqual(hex(written), hex(withInput(field(0x50, "", "01"))))
  })
})
