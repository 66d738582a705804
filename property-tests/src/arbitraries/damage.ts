import { join } from "../oracles/byte-string.ts"
import { heightPush, witnessCommitmentIndex } from "../oracles/check-block.ts"
import { type NaiveCoins, prevoutKey } from "../oracles/coins.ts"
import type { NaivePlace } from "../oracles/connect.ts"
import { medianTimePast } from "../oracles/header.ts"
import { outPointOf } from "../oracles/set-hash.ts"
import { legacySigOps } from "../oracles/sigops.ts"
import { type NaiveInput, type NaiveTransaction, transactionId } from "../oracles/transaction.ts"
import { type Draft, opened } from "./block-draft.ts"
import { type Decisions, pick } from "./decisions.ts"
import { lockOf } from "./locks.ts"

/** What one kind of damage is done with. */
interface Scene {
  readonly decisions: Decisions
  readonly place: NaivePlace
  readonly coins: NaiveCoins
}

type Damage = (draft: Draft, scene: Scene) => Draft

const FINAL = 0xffffffff
const NOTHING = new Uint8Array(0)

const withTransaction = (draft: Draft, index: number, change: (tx: NaiveTransaction) => NaiveTransaction): Draft => ({
  ...draft,
  transactions: draft.transactions.map((tx, i) => (i === index ? change(tx) : tx))
})

const withFirstInput = (tx: NaiveTransaction, change: Partial<NaiveInput>): NaiveTransaction => ({
  ...tx,
  inputs: tx.inputs.map((input, i) => (i === 0 ? { ...input, ...change } : input))
})

/** Mostly the last transaction, on which no other depends. */
const anyIndex = ({ transactions }: Draft, decisions: Decisions): number =>
  decisions.below(4) < 3 ? transactions.length - 1 : decisions.below(transactions.length)

const flipped = (bytes: Uint8Array, at: number): Uint8Array =>
  bytes.map((byte, i) => (i === at % bytes.length ? byte ^ 1 : byte))

/** A transaction that spends one coin to itself. */
const moving = (
  key: string,
  coin: { value: bigint; script: Uint8Array },
  tx: Partial<NaiveTransaction>
): NaiveTransaction =>
  opened(
    {
      version: 2,
      inputs: [{ ...outPointOf(key), script: NOTHING, sequence: FINAL, witness: [] }],
      outputs: [{ value: coin.value, script: coin.script }],
      lockTime: 0,
      ...tx
    },
    [coin]
  )

const appended = (draft: Draft, ...more: ReadonlyArray<NaiveTransaction>): Draft => ({
  ...draft,
  transactions: [...draft.transactions, ...more]
})

/** Spends any coin there is, whatever that breaks; the transaction as it is where there is none. */
const spendsAny = (
  suits: (coin: { height: number; isCoinbase: boolean }, scene: Scene) => boolean,
  tx: Partial<NaiveTransaction>
): Damage =>
(draft, scene) => {
  const spent = new Set(draft.transactions.flatMap(({ inputs }) => inputs.map(prevoutKey)))
  const found = [...scene.coins].filter(([key, coin]) =>
    !spent.has(key) && lockOf(coin) !== undefined && suits(coin, scene)
  )
  if (found.length === 0) return draft
  const [key, coin] = pick(scene.decisions, found)
  return appended(draft, moving(key, coin, tx))
}

const withSequence = (key: string, sequence: number): Partial<NaiveTransaction> => ({
  inputs: [{ ...outPointOf(key), script: NOTHING, sequence, witness: [] }]
})

/** Spends a coin under a relative lock that may still hold. */
const lockedBySequence: Damage = (draft, { decisions, coins, place }) => {
  const height = place.chain.length
  const found = [...coins].filter(([, coin]) => lockOf(coin) !== undefined && !coin.isCoinbase)
  if (found.length === 0) return draft
  const [key, coin] = pick(decisions, found)
  const blocks = height - coin.height
  const sequence = pick(decisions, [blocks, blocks + 1, 0x400000 + blocks, 0x400001 + blocks, 0x40ffff])
  return appended(
    draft,
    moving(key, coin, { ...withSequence(key, sequence), version: pick(decisions, [2, 0xffffffff, 0x80000002, 1]) })
  )
}

/** About as many signature operations as a block may have, those behind script hashes left out. */
const manySigOps = (draft: Draft, decisions: Decisions): Draft => {
  const there = draft.transactions.reduce((sum, tx) => sum + legacySigOps(tx), 0)
  const script = new Uint8Array(Math.max(0, 19_990 + decisions.below(13) - there)).fill(0xac)
  return withTransaction(draft, 0, (tx) => ({ ...tx, outputs: [...tx.outputs, { value: 0n, script }] }))
}

const withCommitment = (draft: Draft, change: (script: Uint8Array) => Uint8Array): Draft =>
  withTransaction({ ...draft, commits: false }, 0, (tx) => {
    const index = witnessCommitmentIndex(tx)
    return {
      ...tx,
      outputs: tx.outputs.map((output, i) => (i === index ? { ...output, script: change(output.script) } : output))
    }
  })

/** Every way in which a block is made to break a rule, or only seems to. */
const DAMAGES: Readonly<Record<string, Damage>> = {
  "the same coin spent by two transactions": (draft, { decisions }) => {
    const tx = draft.transactions[anyIndex(draft, decisions)]!
    return appended(draft, { ...tx, version: tx.version + 1 })
  },
  "the same coin spent twice by one": (draft, { decisions }) =>
    withTransaction(draft, anyIndex(draft, decisions), (tx) => ({ ...tx, inputs: [...tx.inputs, tx.inputs[0]!] })),
  "more paid than spent": (draft, { decisions }) =>
    withTransaction(draft, anyIndex(draft, decisions), (tx) => ({
      ...tx,
      outputs: tx.outputs.map((output, i) =>
        i === 0 ? { ...output, value: output.value + BigInt(1 + decisions.below(3)) } : output
      )
    })),
  "an amount out of range": (draft, { decisions }) =>
    withTransaction(draft, anyIndex(draft, decisions), (tx) => ({
      ...tx,
      outputs: [...tx.outputs, {
        value: pick(decisions, [-1n, 2_100_000_000_000_001n, 2_100_000_000_000_000n]),
        script: NOTHING
      }]
    })),
  "a coinbase spent early": spendsAny(
    ({ isCoinbase, height }, { place }) => isCoinbase && place.chain.length - height <= 101,
    {}
  ),
  "a coin that is not there": (draft, { decisions }) =>
    withTransaction(draft, anyIndex(draft, decisions), (tx) => withFirstInput(tx, { vout: tx.inputs[0]!.vout + 1 })),
  "an order in which a coin is spent before it is made": ({ transactions, ...draft }) => {
    const [first, ...others] = transactions
    return { ...draft, transactions: [first!, ...others.toReversed()] }
  },
  "a coin that its own transaction makes": (draft, { decisions }) => {
    const index = anyIndex(draft, decisions)
    return appended(
      draft,
      moving(`${"00".repeat(32)}:0`, { value: 1n, script: Uint8Array.of(0x51) }, {}),
      draft.transactions[index]!
    )
  },
  "a coinbase that pays too much": (draft) =>
    withTransaction(draft, 0, (tx) => ({
      ...tx,
      outputs: tx.outputs.map((output, i) => (i === 0 ? { ...output, value: output.value + 5_000_000_000n } : output))
    })),
  "a wrong witness commitment": (draft, { decisions }) =>
    withCommitment(draft, (script) => flipped(script, 6 + decisions.below(32))),
  "a commitment that is none": (draft, { decisions }) =>
    withCommitment(draft, (script) => flipped(script, decisions.below(6))),
  "a second commitment behind": (draft) =>
    withTransaction({ ...draft, commits: false }, 0, (tx) => ({
      ...tx,
      outputs: [...tx.outputs, { value: 0n, script: join([0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed], new Uint8Array(33)) }]
    })),
  "a nonce that is none": (draft, { decisions }) =>
    withTransaction(draft, 0, (tx) =>
      withFirstInput(tx, {
        witness: pick(decisions, [[], [new Uint8Array(31)], [new Uint8Array(33)], [new Uint8Array(32), NOTHING]])
      })),
  "a witness where none was": (draft, { decisions }) =>
    withTransaction(
      { ...draft, commits: decisions.below(2) === 0 },
      anyIndex(draft, decisions),
      (tx) => withFirstInput(tx, { witness: [...tx.inputs[0]!.witness, Uint8Array.of(1)] })
    ),
  "transactions repeated at the end": (draft, { decisions }) => {
    const many = Math.min(draft.transactions.length, 1 << decisions.below(3))
    return appended(draft, ...draft.transactions.slice(-many))
  },
  "too many signature operations": (draft, { decisions }) => manySigOps(draft, decisions),
  "a relative lock": lockedBySequence,
  "a lock time": (draft, { decisions, place }) =>
    withTransaction(draft, anyIndex(draft, decisions), (tx) => ({
      ...withFirstInput(tx, { sequence: 1 }),
      lockTime: pick(decisions, [
        place.chain.length,
        medianTimePast(place.chain),
        medianTimePast(place.chain) - 1,
        FINAL
      ])
    })),
  "a script that does not hold": (draft, { decisions }) =>
    withTransaction(
      draft,
      anyIndex(draft, decisions),
      (tx) => withFirstInput(tx, { script: Uint8Array.of(pick(decisions, [0, 0x6a, 0x51, 0xac])) })
    ),
  "another height in the coinbase": (draft, { decisions, place }) =>
    withTransaction(
      draft,
      0,
      (tx) => withFirstInput(tx, { script: join(heightPush(place.chain.length + 1 + decisions.below(3)), [0, 0]) })
    ),
  "a height pushed at length": (draft, { place }) =>
    withTransaction(draft, 0, (tx) => {
      const push = heightPush(place.chain.length)
      return withFirstInput(tx, { script: join([0x4c], push.length > 1 ? push : [1, place.chain.length], [0]) })
    }),
  "a coinbase script of a wrong length": (draft, { decisions }) =>
    withTransaction(
      draft,
      0,
      (tx) => withFirstInput(tx, { script: new Uint8Array(pick(decisions, [0, 1, 100, 101])) })
    ),
  "a second coinbase": (draft) => appended(draft, draft.transactions[0]!),
  "no coinbase": (draft) => ({ ...draft, transactions: draft.transactions.slice(1) }),
  "a coinbase in the wrong place": (draft) => ({ ...draft, transactions: draft.transactions.toReversed() }),
  "no transactions": (draft) => ({ ...draft, transactions: [] }),
  "a transaction left empty": (draft, { decisions }) =>
    withTransaction(draft, anyIndex(draft, decisions), (tx) => ({ ...tx, outputs: [] })),
  "a null outpoint": (draft, { decisions }) =>
    withTransaction(draft, anyIndex(draft, decisions), (tx) => ({
      ...tx,
      inputs: [...tx.inputs, { txid: new Uint8Array(32), vout: FINAL, script: NOTHING, sequence: FINAL, witness: [] }]
    })),
  "another merkle root": (draft, { decisions }) => ({
    ...draft,
    header: { merkleRoot: new Uint8Array(32).fill(decisions.below(2)) }
  }),
  "the merkle root of an earlier list": (draft) => ({
    ...draft,
    header: { merkleRoot: transactionId(draft.transactions[0]!) }
  }),
  "other bits": (draft, { decisions, place }) => ({
    ...draft,
    header: { bits: pick(decisions, [0x207ffffe, 0x2100ffff, 0x207fffff, 0, place.chain.at(-1)!.bits]) }
  }),
  "an old time": (draft, { decisions, place }) => ({
    ...draft,
    header: { time: medianTimePast(place.chain) - decisions.below(2) }
  }),
  "a time far ahead": (draft, { decisions, place }) => ({
    ...draft,
    header: { time: place.chain.at(-1)!.time + pick(decisions, [7_200, 100_000, 3_000_000]) }
  }),
  "an old version": (draft, { decisions }) => ({ ...draft, header: { version: pick(decisions, [0, 1, 2, 3, -1, 4]) } }),
  "another parent": (draft, { decisions, place }) => ({
    ...draft,
    header: { previous: pick(decisions, [new Uint8Array(32), ...place.hashes.slice(-4, -1)]) }
  }),
  "no work": (draft) => ({ ...draft, header: { bits: 0x03000001 } })
}

const NAMES = Object.keys(DAMAGES)

/** The kinds of damage that have to do with time. */
export const LOCKS: ReadonlyArray<string> = ["a relative lock", "a lock time"]

/** `draft` with one or two kinds of damage, the first of which is one of `names`. */
export const damaged = (draft: Draft, scene: Scene, names: ReadonlyArray<string> = NAMES): Draft => {
  const { decisions } = scene
  const once = DAMAGES[pick(decisions, names)]!(draft, scene)
  return decisions.below(4) === 3 && once.transactions.length > 0 ? DAMAGES[pick(decisions, NAMES)]!(once, scene) : once
}
