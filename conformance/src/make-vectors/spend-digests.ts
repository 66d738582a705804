import type { TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import { outputBytes, type TransactionContent, transactionBytes } from "../judge/transaction-bytes.ts"
import { fromHex, join, littleEndian, sha256, sha256d, sized, toHex } from "./bytes.ts"
import { paysTwo, spentByBoth } from "./sample-transactions.ts"
import type { RuleVectors, VectorCase } from "./vector.ts"

const subject = (tx: TransactionContent, spent: ReadonlyArray<TransactionOutput>) => ({
  function: "spendDigests",
  args: {
    tx: toHex(transactionBytes(tx)),
    spentOutputs: spent.map(({ value, script }) => [Number(value), toHex(script)])
  }
})

const { inputs, outputs } = paysTwo
const outpoint = ({ prevout }: TransactionContent["inputs"][0]): Uint8Array =>
  join(prevout.txid, littleEndian(prevout.vout, 4))
const outpoints = join(...inputs.map(outpoint))
const sequences = join(...inputs.map(({ sequence }) => littleEndian(sequence, 4)))
const allOutputs = join(...outputs.flatMap(outputBytes))

const legacy = {
  inputs: toHex(
    join(...inputs.map((input) => join(outpoint(input), Uint8Array.of(0), littleEndian(input.sequence, 4))))
  ),
  outputs: toHex(allOutputs)
}
const witnessV0 = {
  prevouts: toHex(sha256d(outpoints)),
  sequences: toHex(sha256d(sequences)),
  outputs: toHex(sha256d(allOutputs))
}
const taprootOf = (spent: ReadonlyArray<TransactionOutput>) => ({
  prevouts: toHex(sha256(outpoints)),
  amounts: toHex(sha256(...spent.map(({ value }) => littleEndian(value, 8)))),
  scripts: toHex(sha256(...spent.map(({ script }) => sized(script)))),
  sequences: toHex(sha256(sequences)),
  outputs: toHex(sha256(allOutputs))
})

/** The sample with a witness on the inputs that `proved` names. */
const withWitness = (...proved: ReadonlyArray<number>): TransactionContent => ({
  ...paysTwo,
  inputs: inputs.map((input, i) => ({ ...input, witness: proved.includes(i) ? [fromHex("aa")] : [] }))
})

const taproot = taprootOf(spentByBoth)
/** The sample's outputs with `script` in place of the taproot program. */
const notTaproot = (
  script: string
): ReadonlyArray<TransactionOutput> => [{ value: 700n, script: fromHex(script) }, spentByBoth[1]!]

const digested = (
  name: string,
  tx: TransactionContent,
  spent: ReadonlyArray<TransactionOutput>,
  value: unknown
): VectorCase => ({ name, call: subject(tx, spent), expect: { value } })

const misread = (name: string, tx: TransactionContent, value: unknown): VectorCase => ({
  name,
  call: subject(tx, spentByBoth),
  expect: { notValue: value }
})

export const spendDigestVectors: RuleVectors = {
  rule: "SHH-030",
  cases: [
    digested("no witness: legacy alone", paysTwo, spentByBoth, { legacy }),
    digested("a witness on the taproot input, none on the other", withWitness(0), spentByBoth, { legacy, taproot }),
    digested("a witness on the other input, none on the taproot input", withWitness(1), spentByBoth, {
      legacy,
      witnessV0
    }),
    digested("witnesses on both", withWitness(0, 1), spentByBoth, { witnessV0, taproot }),
    digested("a version 1 program of 31 bytes is no taproot", withWitness(0), notTaproot(`511f${"55".repeat(31)}`), {
      legacy,
      witnessV0
    }),
    digested("nor is one of 31 bytes with a byte behind it", withWitness(0), notTaproot(`511f${"55".repeat(32)}`), {
      legacy,
      witnessV0
    }),
    digested("nor 32 bytes with one behind them", withWitness(0), notTaproot(`5120${"55".repeat(33)}`), {
      legacy,
      witnessV0
    }),
    digested("nor a version 0 program of 32 bytes", withWitness(0), notTaproot(`0020${"55".repeat(32)}`), {
      legacy,
      witnessV0
    }),
    misread("without a witness no input asks for the digests of BIP143", paysTwo, { witnessV0: {} }),
    misread("nor for those of BIP341", paysTwo, { taproot: {} }),
    misread("with witnesses on all inputs none asks for the legacy part", withWitness(0, 1), { legacy: {} }),
    misread("BIP143 hashes twice", withWitness(1), { witnessV0: { prevouts: taproot.prevouts } }),
    misread("BIP341 hashes once", withWitness(0), { taproot: { prevouts: witnessV0.prevouts } }),
    misread("the other amount is part of it", withWitness(0), {
      taproot: { amounts: toHex(sha256(littleEndian(700, 8))) }
    })
  ]
}
