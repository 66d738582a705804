import { type TransactionContent, transactionBytes } from "../judge/transaction-bytes.ts"
import { fromHex, sha256, toHex } from "./bytes.ts"
import { HASH_TYPES, paysOne, paysTwo, scriptCode } from "./sample-transactions.ts"
import { legacyHash, witnessV0Hash } from "./signature-hash.ts"
import type { RuleVectors, VectorCase } from "./vector.ts"

const AMOUNT = 600_000_000n

interface Given {
  readonly tx?: TransactionContent
  readonly index?: number
  readonly code?: Uint8Array
  readonly amount?: bigint
  readonly type?: number
}

const subject = ({ tx = paysTwo, index = 0, code = scriptCode, amount = AMOUNT, type = 1 }: Given) => ({
  function: "witnessV0Sighash",
  args: {
    tx: toHex(transactionBytes(tx)),
    inputIndex: index,
    scriptCode: toHex(code),
    amount: String(amount),
    hashType: type
  }
})

const hashed = (name: string, given: Given): VectorCase => {
  const { tx = paysTwo, index = 0, code = scriptCode, amount = AMOUNT, type = 1 } = given
  return { name, call: subject(given), expect: { value: toHex(witnessV0Hash(tx, index, code, amount, type)) } }
}

const misread = (name: string, given: Given, value: Uint8Array): VectorCase => ({
  name,
  call: subject(given),
  expect: { notValue: toHex(value) }
})

/** A script code of `length` bytes, written as repetition. */
const ofLength = (name: string, length: number): VectorCase => {
  const given = { code: new Uint8Array(length).fill(0x61) }
  const { function: target, args } = subject(given)
  return {
    ...hashed(name, given),
    call: { function: target, args: { ...args, scriptCode: [{ repeat: "61", times: length }] } }
  }
}

const types = (index: number): ReadonlyArray<VectorCase> =>
  HASH_TYPES.map(([name, type]) => hashed(`${name}, input ${index}`, { index, type }))

const anyScriptSig: TransactionContent = {
  ...paysTwo,
  inputs: paysTwo.inputs.map((input) => ({ ...input, script: fromHex("0151"), witness: [fromHex("aa")] }))
}
const one = fromHex(`01${"00".repeat(31)}`)

/** The first example of BIP143, with the hash the document gives. */
const document: VectorCase = {
  name: "the native public key hash of BIP143",
  call: {
    function: "witnessV0Sighash",
    args: {
      tx: [
        "0100000002fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f0000000000eeffffff",
        "ef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff",
        "02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac",
        "9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac11000000"
      ],
      inputIndex: 1,
      scriptCode: "76a9141d0f172a0ecb48aee1be1f2687d2963ae33f71a188ac",
      amount: "600000000",
      hashType: 1
    }
  },
  expect: { value: "c37af31116d1b27caf68aae9e3ac82f1477929014d5b917657d0eb49478cb670" }
}

export const witnessV0Hashes: RuleVectors = {
  rule: "SHH-010",
  cases: [
    document,
    ...types(0),
    ...types(1),
    hashed("hash type 00 covers what ALL covers", { type: 0 }),
    hashed("hash type 63 is SINGLE with two bits that have no meaning", { type: 0x63 }),
    hashed("hash type ff is ALL with ANYONECANPAY", { type: 0xff }),
    hashed("SINGLE without an output of its index signs zeros in its place", { tx: paysOne, index: 1, type: 3 }),
    hashed("SINGLE with ANYONECANPAY without an output of its index too", { tx: paysOne, index: 1, type: 0x83 }),
    hashed("an amount of nothing", { amount: 0n }),
    hashed("an amount of 21 million coins", { amount: 2_100_000_000_000_000n }),
    hashed("scriptSigs and witnesses are not covered", { tx: anyScriptSig }),
    hashed("separators stay in the script code", { code: fromHex("51abacab") }),
    ofLength("a script code of 252 bytes", 252),
    ofLength("a script code of 253 bytes: its length takes three bytes", 253),
    ofLength("a script code of 65,535 bytes", 65_535),
    ofLength("a script code of 65,536 bytes: its length takes five bytes", 65_536),
    ofLength("a script code of 74,565 bytes: each byte of the length is another", 0x12345),
    misread("SINGLE without an output is not the number one", { tx: paysOne, index: 1, type: 3 }, one),
    misread(
      "separators are not removed",
      { code: fromHex("51abac") },
      witnessV0Hash(paysTwo, 0, fromHex("51ac"), AMOUNT, 1)
    ),
    misread("the amount is signed", {}, witnessV0Hash(paysTwo, 0, scriptCode, 0n, 1)),
    misread("the legacy hash is another", {}, legacyHash(paysTwo, 0, scriptCode, 1)),
    misread(
      "the script code is not hashed to a program first",
      {},
      witnessV0Hash(paysTwo, 0, sha256(scriptCode), AMOUNT, 1)
    )
  ]
}
