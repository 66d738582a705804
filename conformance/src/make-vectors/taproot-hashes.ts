import type { TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import { type TransactionContent, transactionBytes } from "../judge/transaction-bytes.ts"
import { fromHex, sha256, sized, tagged, toHex } from "./bytes.ts"
import { HASH_TYPES, paysOne, paysTwo, spentByBoth } from "./sample-transactions.ts"
import { type Extension, taprootHash } from "./signature-hash.ts"
import type { RuleVectors, VectorCase } from "./vector.ts"

interface Given {
  readonly tx?: TransactionContent
  readonly index?: number
  readonly spent?: ReadonlyArray<TransactionOutput>
  readonly type?: number
  readonly extension?: Extension
}

const extensionOf = ({ annex, leaf, separator }: Extension) => ({
  ...annex !== undefined && { annexHash: toHex(sha256(sized(annex))) },
  ...leaf !== undefined && { leafHash: toHex(leaf) },
  ...separator !== undefined && { separatorInstruction: separator }
})

const subject = ({ tx = paysTwo, index = 0, spent = spentByBoth, type = 0, extension }: Given) => ({
  function: "taprootSighash",
  args: {
    tx: toHex(transactionBytes(tx)),
    inputIndex: index,
    spentOutputs: spent.map(({ value, script }) => [Number(value), toHex(script)]),
    hashType: type,
    ...extension !== undefined && { extension: extensionOf(extension) }
  }
})

const valueOf = ({ tx = paysTwo, index = 0, spent = spentByBoth, type = 0, extension = {} }: Given): string =>
  toHex(taprootHash(tx, index, spent, type, extension))

const hashed = (name: string, given: Given): VectorCase => ({
  name,
  call: subject(given),
  expect: { value: valueOf(given) }
})
const none = (name: string, given: Given): VectorCase => ({ name, call: subject(given), expect: { value: null } })
const misread = (name: string, given: Given, value: string): VectorCase => ({
  name,
  call: subject(given),
  expect: { notValue: value }
})

const types = (index: number): ReadonlyArray<VectorCase> =>
  [["the default", 0] as const, ...HASH_TYPES].map(([name, type]) => hashed(`${name}, input ${index}`, { index, type }))

const annex = fromHex("50aabb")
const leaf = tagged("TapLeaf", fromHex("c00151"))
const [own, other] = spentByBoth as readonly [TransactionOutput, TransactionOutput]
const otherAmount = [own, { ...other, value: other.value + 1n }]
const otherScript = [own, { ...other, script: fromHex("51") }]

export const taprootHashes: RuleVectors = {
  rule: "SHH-020",
  cases: [
    ...types(0),
    ...types(1),
    hashed("an annex", { extension: { annex } }),
    hashed("an annex of its tag alone", { extension: { annex: fromHex("50") } }),
    hashed("a leaf without separator", { extension: { leaf } }),
    hashed("a leaf with its first instruction as separator", { extension: { leaf, separator: 0 } }),
    hashed("a leaf with a separator far behind", { extension: { leaf, separator: 70_000 } }),
    hashed("a leaf and an annex, SINGLE with ANYONECANPAY", { type: 0x83, extension: { annex, leaf, separator: 2 } }),
    hashed("another amount of the other input", { spent: otherAmount }),
    hashed("under ANYONECANPAY the other amount is not covered", { type: 0x81, spent: otherAmount }),
    none("SINGLE without an output of its index", { tx: paysOne, index: 1, type: 3 }),
    none("SINGLE with ANYONECANPAY without an output of its index", { tx: paysOne, index: 1, type: 0x83 }),
    hashed("NONE needs no output of its index", { tx: paysOne, index: 1, type: 2 }),
    none("hash type 04", { type: 4 }),
    none("hash type 7f", { type: 0x7f }),
    none("hash type 80", { type: 0x80 }),
    none("hash type 84", { type: 0x84 }),
    none("hash type ff", { type: 0xff }),
    misread("the default and ALL are different messages", { type: 1 }, valueOf({ type: 0 })),
    misread("an annex is covered", { extension: { annex } }, valueOf({})),
    misread("a leaf is covered", { extension: { leaf } }, valueOf({})),
    misread("the separator is covered", { extension: { leaf, separator: 0 } }, valueOf({ extension: { leaf } })),
    misread("the amount of the other input is covered", { spent: otherAmount }, valueOf({})),
    misread("the script of the other input is covered", { spent: otherScript }, valueOf({})),
    misread("the index is covered", { index: 1 }, valueOf({})),
    misread(
      "SINGLE without an output is not the number one",
      { tx: paysOne, index: 1, type: 3 },
      `01${"00".repeat(31)}`
    )
  ]
}
