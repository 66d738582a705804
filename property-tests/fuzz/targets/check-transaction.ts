import { checkTransaction } from "@lockstep/kernel/internal/tx/check-transaction.ts"
import { RULES } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import * as oracle from "../../src/oracles/check-transaction.ts"
import { parseTransaction } from "../../src/oracles/read-transaction.ts"
import type { NaiveInput, NaiveOutput, NaiveTransaction } from "../../src/oracles/transaction.ts"
import { kernelTransaction } from "../../src/subject/kernel.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import { difference } from "../run/difference.ts"
import type { Random } from "../random.ts"
import type { Target } from "../target.ts"

const AMOUNTS: ReadonlyArray<bigint> = [
  0n,
  1n,
  -1n,
  1_050_000_000_000_000n,
  2_100_000_000_000_000n,
  2_100_000_000_000_001n,
  (1n << 63n) - 1n,
  -(1n << 63n)
]

const anyInput = (random: Random): NaiveInput => ({
  txid: new Uint8Array(32).fill(random.pick([0, 0, 1])),
  vout: random.pick([0, 1, 0xffffffff]),
  script: new Uint8Array(random.pick([0, 1, 2, 3, 99, 100, 101])),
  sequence: random.below(3),
  witness: random.oneIn(4) ? [random.bytes(2)] : []
})

const anyOutput = (random: Random): NaiveOutput => ({
  value: random.pick(AMOUNTS),
  script: random.bytes(random.below(3))
})

const made = (random: Random): NaiveTransaction => ({
  version: random.below(3),
  inputs: Array.from({ length: random.below(5) }, () => anyInput(random)),
  outputs: Array.from({ length: random.below(5) }, () => anyOutput(random)),
  lockTime: random.below(3)
})

/** One script filled up to just below or above the largest stripped size. */
const enlarged = (tx: NaiveTransaction, random: Random): NaiveTransaction => {
  const script = new Uint8Array(999_500 + random.below(1_000))
  return { ...tx, outputs: [...tx.outputs, { value: 0n, script }] }
}

/** Transactions near the rules they must keep on their own: the first broken rule. */
export const checkTransactionTarget: Target<NaiveTransaction> = {
  name: "check-transaction",
  about: "transactions judged on their own",
  generate: (random, { transactions }) => {
    const bytes = random.pick(transactions)
    const parsed = random.oneIn(3)
      ? parseTransaction(random.oneIn(2) ? mutateBytes(bytes, random) : bytes)
      : made(random)
    const tx = typeof parsed === "string" ? made(random) : parsed
    return random.oneIn(200) ? enlarged(tx, random) : tx
  },
  isInput: (tx) => tx.inputs.every((input) => input.txid.length === 32),
  judge: (tx) => {
    const verdict = checkTransaction(kernelTransaction(tx))
    const reason = verdict._tag === "Success" ? undefined : RULES[verdict.failure.rule].reject
    return difference("reject reason", reason, oracle.checkTransaction(tx))
  }
}
