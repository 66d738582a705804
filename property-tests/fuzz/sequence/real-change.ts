import { join } from "../../src/oracles/byte-string.ts"
import type { NaiveBlock } from "../../src/oracles/block.ts"
import type { NaiveInput, NaiveOutput, NaiveTransaction } from "../../src/oracles/transaction.ts"
import { type Draft, spendOf } from "./draft.ts"

/** Changes a draft made from a real block; `others` are real blocks around it. */
type Change = (draft: Draft, how: number, others: ReadonlyArray<NaiveBlock>) => void

const TRUE = Uint8Array.of(0x51)
const PLAIN = { version: 1, sequence: 0xffffffff, lockTime: 0 }
const pick = <A>(values: ReadonlyArray<A>, how: number): A => values[how % values.length]!

const turned = (bytes: Uint8Array, bit: number): Uint8Array => {
  const at = (bit * 2_654_435_761) % Math.max(1, bytes.length * 8)
  return bytes.map((byte, i) => (i === at >> 3 ? byte ^ (1 << (at & 7)) : byte))
}

/** Replaces one transaction, or the coinbase where there is no other. */
const setOne = (draft: Draft, how: number, change: (tx: NaiveTransaction) => NaiveTransaction): void => {
  if (draft.transactions.length === 0) draft.coinbase = change(draft.coinbase)
  else {
    const at = how % draft.transactions.length
    draft.transactions[at] = change(draft.transactions[at]!)
  }
}

const inInput = (change: (input: NaiveInput, how: number) => Partial<NaiveInput>): Change => (draft, how) =>
  setOne(draft, how, (tx) => {
    const at = (how >> 2) % Math.max(1, tx.inputs.length)
    return { ...tx, inputs: tx.inputs.map((input, i) => (i === at ? { ...input, ...change(input, how) } : input)) }
  })

const inOutput = (change: (output: NaiveOutput, how: number) => Partial<NaiveOutput>): Change => (draft, how) =>
  setOne(draft, how, (tx) => {
    const at = (how >> 2) % Math.max(1, tx.outputs.length)
    return {
      ...tx,
      outputs: tx.outputs.map((output, i) => (i === at ? { ...output, ...change(output, how) } : output))
    }
  })

const dropped: Change = (draft, how) => {
  draft.transactions.splice(how % Math.max(1, draft.transactions.length), 1)
}

const swapped: Change = (draft, how) => {
  const { transactions } = draft
  if (transactions.length < 2) return
  const a = how % transactions.length
  const b = (a + 1 + (how >> 4)) % transactions.length
  ;[transactions[a], transactions[b]] = [transactions[b]!, transactions[a]!]
}

const repeated: Change = (draft, how) => {
  if (draft.transactions.length > 0) draft.transactions.push(pick(draft.transactions, how))
}

/** A transaction of another block, earlier or later, in front or behind. */
const borrowed: Change = (draft, how, others) => {
  const all = others.flatMap(({ transactions }) => transactions.slice(1))
  if (all.length === 0) return
  if (how % 2 === 0) draft.transactions.push(pick(all, how >> 1))
  else draft.transactions.unshift(pick(all, how >> 1))
}

/** All transactions of the blocks around, in their order: nothing is missing, some come too early. */
const gathered: Change = (draft, how, others) => {
  const next = others.slice(others.length >> 1).slice(0, 1 + (how % 3))
  const known = new Set(draft.transactions)
  draft.transactions.push(...next.flatMap(({ transactions }) => transactions.slice(1)).filter((tx) => !known.has(tx)))
}

const otherCoinbase: Change = (draft, how, others) => {
  if (others.length > 0) draft.coinbase = pick(others, how).transactions[0]!
}

const SEQUENCES = [0, 1, 2, 10, 0xfffffffe, 0xffffffff, 0x80000000, 0x400000, 0x400001, 0x40ffff, 0xffff]
const otherSequence = inInput((_, how) => ({ sequence: pick(SEQUENCES, how) }))

const otherLockTime: Change = (draft, how) =>
  setOne(draft, how, (tx) => ({
    ...tx,
    lockTime: pick(
      [0, draft.height - 1, draft.height, draft.header.time, draft.header.time - 1, 500_000_000],
      how >> 3
    ),
    inputs: tx.inputs.map((input) => ({ ...input, sequence: how % 2 === 0 ? 0xfffffffe : input.sequence }))
  }))

const otherVersion: Change = (draft, how) =>
  setOne(draft, how, (tx) => ({ ...tx, version: pick([0, 1, 2, 3, 0xffffffff], how) }))

const otherPrevout = inInput((
  { vout, txid },
  how
) => (how % 2 === 0 ? { vout: vout ^ 1 } : { txid: turned(txid, how) }))
const scriptBit = inInput(({ script }, how) => ({ script: turned(script, how) }))
const scriptLess = inInput(({ script }, how) => ({ script: script.subarray(0, pick([0, 1, script.length - 1], how)) }))
const scriptMore = inInput(({ script }, how) => ({
  script: how % 2 === 0
    ? join(pick([[0x00], [0x51], [0x61], [0xac]], how >> 1), script)
    : join(script, [pick([0x61, 0x00, 0x51], how)])
}))

const witnessBit = inInput(({ witness }, how) => ({
  witness: witness.map((item, i) => (i === how % witness.length ? turned(item, how) : item))
}))
const witnessLess = inInput(({ witness }, how) => ({
  witness: how % 3 === 0 ? [] : witness.slice(how % 2, witness.length - 1 + (how % 2))
}))
const ITEMS = [new Uint8Array(0), Uint8Array.of(1), Uint8Array.of(0x50), new Uint8Array(521)]
const witnessMore = inInput(({ witness }, how) => {
  const item = pick(ITEMS, how >> 1)
  return { witness: how % 2 === 0 ? [...witness, item] : [item, ...witness] }
})

const valueMore = inOutput(({ value }, how) => ({
  value: value + pick([1n, -1n, 100_000n, -value, 5_000_000_000n], how)
}))
const outputBit = inOutput(({ script }, how) => ({ script: turned(script, how) }))
const outputLess: Change = (draft, how) => setOne(draft, how, (tx) => ({ ...tx, outputs: tx.outputs.slice(1) }))

/** One input more, that of another transaction of the block or of one nearby. */
const otherInput: Change = (draft, how, others) => {
  const all = [...draft.transactions, ...others.flatMap(({ transactions }) => transactions.slice(1))]
  if (all.length === 0) return
  const [input] = pick(all, how >> 1).inputs
  setOne(draft, how, (tx) => ({ ...tx, inputs: how % 2 === 0 ? [...tx.inputs, input!] : [input!] }))
}

const witnessesSwapped: Change = (draft, how) =>
  setOne(draft, how, (tx) => {
    const [first, second, ...rest] = tx.inputs
    if (first === undefined || second === undefined) return tx
    const { script, witness } = first
    return {
      ...tx,
      inputs: [{ ...first, script: second.script, witness: second.witness }, { ...second, script, witness }, ...rest]
    }
  })

/** A coin of the set spent as if it needed nothing; coinbases that are old enough, and some that are not. */
const spent: Change = (draft, how) => {
  const old = [...draft.coins].filter(([, { height, isCoinbase }]) =>
    !isCoinbase || draft.height - height >= 100 - (how % 4 === 0 ? 2 : 0)
  )
  const easy = old.filter(([, { script }]) => script.length === 1 && script[0] === 0x51)
  const coins = easy.length > 0 && how % 8 !== 1 ? easy : old
  if (coins.length > 0) draft.transactions.push(spendOf([pick(coins, how >> 2)], [TRUE, TRUE], BigInt(how), PLAIN))
}

/** Things that may happen to the transactions of real blocks; some leave them valid. */
export const REAL_CHANGES: ReadonlyArray<Change> = [
  dropped,
  swapped,
  repeated,
  borrowed,
  gathered,
  otherCoinbase,
  otherSequence,
  otherLockTime,
  otherVersion,
  otherPrevout,
  scriptBit,
  scriptLess,
  scriptMore,
  witnessBit,
  witnessLess,
  witnessMore,
  valueMore,
  outputBit,
  outputLess,
  otherInput,
  witnessesSwapped,
  spent
]
