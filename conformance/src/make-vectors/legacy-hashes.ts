import { type TransactionContent, transactionBytes } from "../judge/transaction-bytes.ts"
import { fromHex, join, littleEndian, sha256d, sized, toHex } from "./bytes.ts"
import { HASH_TYPES, paysOne, paysTwo, scriptCode } from "./sample-transactions.ts"
import { legacyHash } from "./signature-hash.ts"
import type { RuleVectors, VectorCase } from "./vector.ts"

interface Given {
  readonly tx?: TransactionContent
  readonly index?: number
  readonly code?: Uint8Array
  readonly type?: number
}

const subject = ({ tx = paysTwo, index = 0, code = scriptCode, type = 1 }: Given) => ({
  function: "legacySighash",
  args: { tx: toHex(transactionBytes(tx)), inputIndex: index, scriptCode: toHex(code), hashType: type }
})

/** `signed` is the script code once its separators are gone, where that differs. */
const hashed = (name: string, given: Given, signed = given.code ?? scriptCode): VectorCase => ({
  name,
  call: subject(given),
  expect: { value: toHex(legacyHash(given.tx ?? paysTwo, given.index ?? 0, signed, given.type ?? 1)) }
})

const misread = (name: string, given: Given, value: Uint8Array): VectorCase => ({
  name,
  call: subject(given),
  expect: { notValue: toHex(value) }
})

const signedAndProved: TransactionContent = {
  ...paysTwo,
  inputs: paysTwo.inputs.map((input) => ({ ...input, script: fromHex("0151"), witness: [fromHex("aa")] }))
}
const otherInput: TransactionContent = {
  ...paysTwo,
  inputs: paysTwo.inputs.map((input, i) =>
    i === 1 ? input : { ...input, prevout: { ...input.prevout, vout: 77 }, sequence: 1 }
  )
}
const extreme: TransactionContent = {
  ...paysTwo,
  version: 0xffffffff,
  lockTime: 0xffffffff,
  outputs: paysTwo.outputs.map(({ script }) => ({ value: -1n, script }))
}

/** A transaction of 253 equal inputs and outputs, written in parts. */
const MANY = 253
const many: TransactionContent = {
  ...paysTwo,
  inputs: Array.from({ length: MANY }, () => paysTwo.inputs[0]!),
  outputs: Array.from({ length: MANY }, () => ({ value: 1n, script: fromHex("51") }))
}
const { prevout, sequence } = paysTwo.inputs[0]!
const manyParts = [
  `${toHex(littleEndian(many.version, 4))}fdfd00`,
  {
    repeat: toHex(join(prevout.txid, littleEndian(prevout.vout, 4), Uint8Array.of(0), littleEndian(sequence, 4))),
    times: MANY
  },
  "fdfd00",
  { repeat: "01000000000000000151", times: MANY },
  toHex(littleEndian(many.lockTime, 4))
]

const ofMany = (name: string, index: number, type: number): VectorCase => {
  const { call, ...rest } = hashed(name, { tx: many, index, type })
  const { function: target, args } = call as ReturnType<typeof subject>
  return { ...rest, call: { function: target, args: { ...args, tx: manyParts } } }
}

const one = fromHex(`01${"00".repeat(31)}`)
const numberOne = (name: string, given: Given): VectorCase => ({
  name,
  call: subject(given),
  expect: { value: toHex(one) }
})

const preimage = (tail: string): Uint8Array => {
  const code = join(fromHex("19"), scriptCode)
  const [first, second] = paysTwo.inputs as [TransactionContent["inputs"][0], TransactionContent["inputs"][0]]
  const outpoint = ({ prevout: of }: typeof first): Uint8Array => join(of.txid, littleEndian(of.vout, 4))
  return sha256d(
    littleEndian(paysTwo.version, 4),
    fromHex("02"),
    outpoint(first),
    code,
    littleEndian(first.sequence, 4),
    outpoint(second),
    fromHex("00"),
    littleEndian(second.sequence, 4),
    fromHex("02"),
    ...paysTwo.outputs.map(({ value, script }) => join(littleEndian(value, 8), sized(script))),
    littleEndian(paysTwo.lockTime, 4),
    fromHex(tail)
  )
}

const types = (index: number): ReadonlyArray<VectorCase> =>
  HASH_TYPES.map(([name, type]) => hashed(`${name}, input ${index}`, { index, type }))

export const legacyHashes: RuleVectors = {
  rule: "SHH-001",
  cases: [
    ...types(0),
    ...types(1),
    hashed("hash type 00 covers what ALL covers and is hashed as 00", { type: 0 }),
    hashed("hash type 04 covers what ALL covers", { type: 4 }),
    hashed("hash type 1f covers what ALL covers", { type: 0x1f }),
    hashed("hash type 22 is NONE with a bit that has no meaning", { type: 0x22 }),
    hashed("hash type 63 is SINGLE with two bits that have no meaning", { type: 0x63 }),
    hashed("hash type 80 is ALL with ANYONECANPAY", { type: 0x80 }),
    hashed("hash type ff is ALL with ANYONECANPAY", { type: 0xff }),
    hashed("a hash type of more than a byte is hashed whole", { type: 0x12345601 }),
    hashed("a negative hash type", { type: -2147483646 }),
    numberOne("SINGLE without an output of its index is the number one", { tx: paysOne, index: 1, type: 3 }),
    numberOne("SINGLE with ANYONECANPAY without an output of its index too", { tx: paysOne, index: 1, type: 0x83 }),
    hashed("SINGLE with the last output", { tx: paysOne, index: 0, type: 3 }),
    hashed("NONE needs no output of its index", { tx: paysOne, index: 1, type: 2 }),
    hashed("scriptSigs and witnesses are not covered", { tx: signedAndProved }),
    hashed("under ANYONECANPAY the other input may be any", { tx: otherInput, index: 1, type: 0x81 }),
    hashed("version and lock time of all ones, values of minus one", { tx: extreme }),
    hashed("an empty script code", { code: new Uint8Array(0) }),
    hashed("a script code of 253 bytes", { code: new Uint8Array(253).fill(0x61) }),
    hashed("separators are removed from the script code", { code: fromHex("ab51abacab") }, fromHex("51ac")),
    hashed("ab in the data of a push stays", { code: fromHex("02abababac") }, fromHex("02ababac")),
    ofMany("253 inputs and outputs: their counts take three bytes", 0, 1),
    ofMany("SINGLE of the input with index 252: the count of outputs takes three bytes", 252, 3),
    ofMany("SINGLE of the input with index 251: the count of outputs takes one byte", 251, 3),
    misread("SINGLE without an output is not a hash of zeros", { tx: paysOne, index: 1, type: 3 }, new Uint8Array(32)),
    misread("the number one is little-endian", { tx: paysOne, index: 1, type: 3 }, Uint8Array.from(one).reverse()),
    misread("the hash type takes four bytes, not one", {}, preimage("01")),
    misread("an undefined hash type is not hashed as ALL", { type: 4 }, preimage("01000000")),
    misread("separators do not stay", { code: fromHex("51abac") }, legacyHash(paysTwo, 0, fromHex("51abac"), 1))
  ]
}
