import type { NaiveBlock } from "../../src/oracles/block.ts"
import { join } from "../../src/oracles/byte-string.ts"
import { witnessCommitment, witnessCommitmentIndex } from "../../src/oracles/check-block.ts"
import { hasWitness, type NaiveTransaction } from "../../src/oracles/transaction.ts"
import { blockOf, commitmentOutput, committed } from "../../src/sequence/make-block.ts"
import type { Commitment, Draft } from "./draft.ts"

type Transactions = ReadonlyArray<NaiveTransaction>

const withNonce = (transactions: Transactions, witness: ReadonlyArray<Uint8Array>): Transactions =>
  transactions.map((tx, i) => (i === 0 ? { ...tx, inputs: tx.inputs.map((input) => ({ ...input, witness })) } : tx))

const damagedScript = (script: Uint8Array): Uint8Array => script.map((byte, at) => (at === 9 ? byte ^ 1 : byte))

const wronglyCommitted = (transactions: Transactions): Transactions => {
  const [coinbase, ...others] = committed(transactions)
  const last = coinbase!.outputs.length - 1
  const outputs = coinbase!.outputs.map((
    output,
    i
  ) => (i < last ? output : { ...output, script: damagedScript(output.script) }))
  return [{ ...coinbase!, outputs }, ...others]
}

/** An earlier commitment to nothing in particular: the last one counts. */
const committedTwice = (transactions: Transactions): Transactions => {
  const [coinbase, ...others] = transactions
  const earlier = commitmentOutput(transactions, new Uint8Array(32).fill(1))
  return committed([{ ...coinbase!, outputs: [earlier, ...coinbase!.outputs] }, ...others])
}

/**
 * The coinbase's own commitment put right, whatever else its script holds; none is added where no witness asks for one.
 */
const renewed = (transactions: Transactions): Transactions => {
  const [coinbase, ...others] = transactions
  const index = witnessCommitmentIndex(coinbase!)
  const nonce = coinbase!.inputs[0]?.witness[0]
  if (index < 0) return others.some(hasWitness) ? committed(transactions) : transactions
  if (nonce === undefined) return transactions
  const { script } = coinbase!.outputs[index]!
  const mended = join(script.subarray(0, 6), witnessCommitment(transactions, nonce), script.subarray(38))
  return [
    {
      ...coinbase!,
      outputs: coinbase!.outputs.map((output, i) => (i === index ? { ...output, script: mended } : output))
    },
    ...others
  ]
}

/** The transactions with their witnesses committed to in this way. */
export const commit = (transactions: Transactions, commitment: Commitment): Transactions => {
  switch (commitment) {
    case "right":
      return transactions.some(hasWitness) ? committed(transactions) : transactions
    case "wrong":
      return wronglyCommitted(transactions)
    case "none":
    case "kept":
      return transactions
    case "renewed":
      return renewed(transactions)
    case "short nonce":
      return withNonce(committed(transactions), [new Uint8Array(31)])
    case "two items":
      return withNonce(committed(transactions), [new Uint8Array(32), new Uint8Array(0)])
    case "no nonce":
      return withNonce(committed(transactions), [])
    case "twice":
      return committedTwice(transactions)
  }
}

/** The block that a draft has become. */
export const finished = (draft: Draft): NaiveBlock => {
  const transactions = commit([draft.coinbase, ...draft.transactions], draft.commitment)
  const { header } = blockOf(draft.header, transactions)
  return { header, transactions: draft.after(transactions) }
}
