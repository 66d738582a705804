import { join } from "../../src/oracles/byte-string.ts"
import type { NaiveCoin } from "../../src/oracles/coins.ts"
import { medianTimePast } from "../../src/oracles/header.ts"
import type { NaiveInput, NaiveOutput, NaiveTransaction } from "../../src/oracles/transaction.ts"
import { transactionId } from "../../src/oracles/transaction.ts"
import { coinbaseOf, inputOf } from "../../src/sequence/make-block.ts"
import { type Commitment, type Draft, spendOf } from "./draft.ts"
import { PAY_TO_MANY_SIGOPS } from "./spend-coin.ts"

type Apply = (draft: Draft, how: number) => void

const TRUE = Uint8Array.of(0x51)
const PLAIN = { version: 1, sequence: 0xffffffff, lockTime: 0 }
const pick = <A>(values: ReadonlyArray<A>, how: number): A => values[how % values.length]!

const last = (draft: Draft): NaiveTransaction | undefined => draft.transactions.at(-1)

const setLast = (draft: Draft, tx: NaiveTransaction): void => {
  if (draft.transactions.length > 0) draft.transactions[draft.transactions.length - 1] = tx
}

const setCoinbaseInput = (draft: Draft, change: Partial<NaiveInput>): void => {
  draft.coinbase = { ...draft.coinbase, inputs: [{ ...draft.coinbase.inputs[0]!, ...change }] }
}

const setCoinbaseOutput = (draft: Draft, output: NaiveOutput): void => {
  draft.coinbase = { ...draft.coinbase, outputs: [...draft.coinbase.outputs, output] }
}

const coinWhere = (draft: Draft, holds: (coin: NaiveCoin) => boolean): readonly [string, NaiveCoin] | undefined =>
  [...draft.coins].find(([, coin]) => holds(coin))

/** Two transactions with one coin. */
const spentTwice: Apply = (draft, how) => {
  const tx = last(draft)
  if (tx === undefined) return
  const twin = { ...tx, inputs: [tx.inputs[0]!], outputs: [{ value: BigInt(how), script: TRUE }] }
  if (how % 2 === 0) draft.transactions.push(twin)
  else draft.transactions.unshift(twin)
}

const inputTwice: Apply = (draft) => {
  const tx = last(draft)
  if (tx !== undefined) setLast(draft, { ...tx, inputs: [...tx.inputs, tx.inputs[0]!] })
}

const overspent: Apply = (draft, how) => {
  const tx = last(draft)
  if (tx !== undefined) {
    setLast(draft, { ...tx, outputs: [...tx.outputs, { value: BigInt(how * 1_000), script: TRUE }] })
  }
}

const immature: Apply = (draft, how) => {
  const { height } = draft
  const coin = coinWhere(draft, (each) => each.isCoinbase && each.height === height - 100 + (how % 4) - 1)
  if (coin !== undefined) draft.transactions.push(spendOf([coin], [TRUE], 0n, PLAIN))
}

const wrongRoot: Apply = (draft, how) => {
  draft.after = (transactions) =>
    how % 2 === 0
      ? [{ ...transactions[0]!, version: 77 }, ...transactions.slice(1)]
      : [...transactions.slice(0, -1), { ...transactions.at(-1)!, lockTime: 77 }]
}

/** The tail of the list once more, so that the root may stay what it was. */
const repeatedTail: Apply = (draft, how) => {
  draft.after = (transactions) => [...transactions, ...transactions.slice(-pick([1, 2, 4], how))]
}

const COMMITMENTS: ReadonlyArray<Commitment> = ["wrong", "none", "short nonce", "two items", "twice", "no nonce"]

const otherCommitment: Apply = (draft, how) => {
  draft.commitment = pick(COMMITMENTS, how)
}

const otherBits: Apply = (draft, how) => {
  const { bits } = draft.header
  draft.header = {
    ...draft.header,
    bits: pick([0x207fffff, 0x2100fffe, bits - 1, 0x01000001, 0x1d00ffff, 0x21800001], how)
  }
}

const otherTime: Apply = (draft, how) => {
  const median = medianTimePast(draft.parent.chain)
  const before = draft.parent.chain.at(-1)!.time
  const times = [
    median,
    median + 1,
    median - 1,
    draft.now + 7_200,
    draft.now + 7_201,
    before - 600,
    before - 601,
    0,
    0xffffffff
  ]
  draft.header = { ...draft.header, time: Math.max(0, pick(times, how)) }
}

const otherVersion: Apply = (draft, how) => {
  draft.header = { ...draft.header, version: pick([0, 1, 2, 3, 4, -1, -0x80000000, 0x7fffffff, 0x20000000], how) }
}

/** One signature operation around what a block may have, in the coinbase's own scripts. */
const manySigOps: Apply = (draft, how) =>
  setCoinbaseOutput(draft, { value: 0n, script: new Uint8Array(pick([19_999, 20_000, 20_001], how)).fill(0xac) })

/** The same with those of pay-to-script-hash, which are counted as the block is connected: 5 · 15,200 + 4 · n. */
const spentSigOps: Apply = (draft, how) => {
  const { height } = draft
  const coin = coinWhere(draft, (each) => !each.isCoinbase || each.height <= height - 100)
  if (coin === undefined || coin[1].script[0] !== 0x51 || coin[1].script.length !== 1) return
  const funding = spendOf([coin], Array.from({ length: 5 }, () => PAY_TO_MANY_SIGOPS), 0n, PLAIN)
  const txid = transactionId(funding)
  const made = funding.outputs.map(({ script, value }, vout): readonly [string, NaiveCoin] => [
    `${Buffer.from(txid).toString("hex")}:${vout}`,
    { script, value, height, isCoinbase: false }
  ])
  draft.transactions.push(funding, spendOf(made, [TRUE], 0n, PLAIN))
  setCoinbaseOutput(draft, { value: 0n, script: new Uint8Array(pick([999, 1_000, 1_001], how)).fill(0xac) })
}

/** A coinbase that was there before, outputs and all. */
const repeatedCoinbase: Apply = (draft, how) => {
  let at = draft.parent
  for (let i = 0; i < how && at.parent?.parent !== undefined; i++) at = at.parent
  const coinbase = at.block?.transactions[0]
  if (coinbase === undefined) return
  draft.coinbase = coinbase
  draft.commitment = "none"
}

const otherClaim: Apply = (draft, how) => {
  const [first, ...others] = draft.coinbase.outputs
  if (first === undefined) return
  const value = first.value + pick([1n, 2n, -1n, -first.value, 2_100_000_000_000_000n, -5_000_000_001n], how)
  draft.coinbase = { ...draft.coinbase, outputs: [{ ...first, value }, ...others] }
}

const otherCoinbase: Apply = (draft, how) => {
  const { script } = draft.coinbase.inputs[0]!
  const changes: ReadonlyArray<() => void> = [
    () => setCoinbaseInput(draft, { script: Uint8Array.of(0x51) }),
    () => setCoinbaseInput(draft, { script: join(script, new Uint8Array(Math.max(0, 100 - script.length))) }),
    () => setCoinbaseInput(draft, { script: join(script, new Uint8Array(Math.max(0, 101 - script.length))) }),
    () => setCoinbaseInput(draft, { script: coinbaseOf(draft.height + 1, [], script).inputs[0]!.script }),
    () => setCoinbaseInput(draft, { script: join([0x4c], script) }),
    () => setCoinbaseInput(draft, { vout: 0 }),
    () => setCoinbaseInput(draft, { sequence: 0 }),
    () => draft.transactions.push(coinbaseOf(draft.height, [{ value: 0n, script: TRUE }], Uint8Array.of(1))),
    () => {
      draft.coinbase = { ...draft.coinbase, lockTime: pick([draft.height - 1, draft.height], how >> 3) }
      setCoinbaseInput(draft, { sequence: 0 })
    }
  ]
  pick(changes, how)()
}

/** What is spent is not there, or not yet. */
const missingCoin: Apply = (draft, how) => {
  if (how % 3 === 0) draft.transactions.reverse()
  else {
    const tx = last(draft)
    if (tx === undefined) return
    const { txid, vout } = tx.inputs[0]!
    const other = how % 3 === 1 ? inputOf(txid, vout + 7) : inputOf(new Uint8Array(32).fill(how), 0)
    setLast(draft, { ...tx, inputs: [other, ...tx.inputs.slice(1)] })
  }
}

/** What unlocks the last transaction's first input is not what it was. */
const otherUnlocking: Apply = (draft, how) => {
  const tx = last(draft)
  if (tx === undefined) return
  const [first, ...others] = tx.inputs
  const script = pick([Uint8Array.of(0x00), Uint8Array.of(0x01), TRUE, first!.script], how)
  const witness = how < 8 ? first!.witness : [Uint8Array.of(how)]
  setLast(draft, { ...tx, inputs: [{ ...first!, script, witness }, ...others] })
}

const AMOUNTS = [-1n, 2_100_000_000_000_000n, 2_100_000_000_000_001n, (1n << 63n) - 1n, -(1n << 63n)]

const otherAmount: Apply = (draft, how) => {
  const tx = last(draft)
  if (tx === undefined) return
  const extra = { value: pick(AMOUNTS, how), script: TRUE }
  setLast(draft, { ...tx, outputs: how < 8 ? [...tx.outputs, extra] : [extra, extra] })
}

const emptied: Apply = (draft, how) => {
  const tx = last(draft)
  if (how % 2 === 0 && tx !== undefined) setLast(draft, { ...tx, outputs: [] })
  else draft.coinbase = { ...draft.coinbase, outputs: [] }
}

const otherParent: Apply = (draft, how) => {
  draft.header = { ...draft.header, previous: new Uint8Array(32).fill(how) }
}

const nullInput: Apply = (draft) => {
  const tx = last(draft)
  if (tx !== undefined) setLast(draft, { ...tx, inputs: [...tx.inputs, inputOf(new Uint8Array(32), 0xffffffff)] })
}

const noCoinbase: Apply = (draft) => {
  draft.after = (transactions) => transactions.slice(1)
}

/** Nearly everything that can be wrong with a block, and some that looks so. */
export const DAMAGES: ReadonlyArray<Apply> = [
  spentTwice,
  inputTwice,
  overspent,
  immature,
  wrongRoot,
  repeatedTail,
  otherCommitment,
  otherBits,
  otherTime,
  otherVersion,
  manySigOps,
  spentSigOps,
  repeatedCoinbase,
  otherClaim,
  otherCoinbase,
  missingCoin,
  otherUnlocking,
  otherAmount,
  emptied,
  otherParent,
  nullInput,
  noCoinbase
]
