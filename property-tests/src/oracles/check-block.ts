import type { NaiveBlock } from "./block.ts"
import { blockHash, blockWeight } from "./block.ts"
import { join, sameBytes } from "./byte-string.ts"
import { checkTransaction } from "./check-transaction.ts"
import { compactSize } from "./compact-size.ts"
import { isFinal } from "./coins.ts"
import type { NaiveParameters } from "./deployments.ts"
import { sha256d } from "./hash.ts"
import { medianTimePast, type NaiveChain, readHeader } from "./header.ts"
import { pushOf } from "./instructions.ts"
import { merkleRoot } from "./merkle.ts"
import { bytesOfNumber } from "./script-number.ts"
import { isCoinbase, legacySigOps } from "./sigops.ts"
import { signetSolutionHolds } from "./signet.ts"
import { provesWork } from "./target.ts"
import {
  type NaiveTransaction,
  hasWitness,
  serializeWithoutWitness,
  transactionId,
  witnessTransactionId
} from "./transaction.ts"

/** The rule ids of what a transaction can be refused for by itself. */
export const TRANSACTION_RULES: Readonly<Record<string, string>> = {
  "bad-txns-vin-empty": "TXN-001",
  "bad-txns-vout-empty": "TXN-002",
  "bad-txns-oversize": "TXN-003",
  "bad-txns-vout-negative": "TXN-004",
  "bad-txns-vout-toolarge": "TXN-005",
  "bad-txns-txouttotal-toolarge": "TXN-006",
  "bad-txns-inputs-duplicate": "TXN-007",
  "bad-cb-length": "TXN-008",
  "bad-txns-prevout-null": "TXN-009"
}

/** A rule with whether it holds, or `OK` or the rule that a group of rules names. */
type Verdict = string

const rule = (id: string, holds: boolean): Verdict => (holds ? "OK" : id)

/** The first that is not `OK`. Later verdicts are only asked for while all before them hold. */
export const firstOf = (...verdicts: ReadonlyArray<() => Verdict>): Verdict => {
  for (const verdict of verdicts) {
    const said = verdict()
    if (said !== "OK") return said
  }
  return "OK"
}

const strippedSize = (tx: NaiveTransaction): number => serializeWithoutWitness(tx).length
const total = (numbers: ReadonlyArray<number>): number => numbers.reduce((sum, each) => sum + each, 0)

export const merkleRootCommits = ({ header, transactions }: NaiveBlock): Verdict =>
  rule("BLK-002", sameBytes(readHeader(header).merkleRoot, merkleRoot(transactions.map(transactionId)).root))

export const transactionsAreNotRepeated = ({ transactions }: NaiveBlock): Verdict =>
  rule("BLK-003", !merkleRoot(transactions.map(transactionId)).mutated)

export const blockLength = ({ transactions }: NaiveBlock): Verdict => {
  const size = 80 + compactSize(transactions.length).length + total(transactions.map(strippedSize))
  return rule("BLK-004", transactions.length > 0 && 4 * transactions.length <= 4_000_000 && 4 * size <= 4_000_000)
}

export const firstIsCoinbase = ({ transactions }: NaiveBlock): Verdict =>
  rule("BLK-005", transactions[0] !== undefined && isCoinbase(transactions[0]))

export const onlyFirstIsCoinbase = ({ transactions }: NaiveBlock): Verdict =>
  rule("BLK-006", !transactions.slice(1).some(isCoinbase))

const transactionsHold = ({ transactions }: NaiveBlock): Verdict => {
  const reason = transactions.map(checkTransaction).find((each) => each !== undefined)
  return reason === undefined ? "OK" : TRANSACTION_RULES[reason]!
}

export const legacySigOpsFit = ({ transactions }: NaiveBlock): Verdict =>
  rule("BLK-008", 4 * total(transactions.map(legacySigOps)) <= 80_000)

export const transactionsAreFinal = ({ transactions }: NaiveBlock, height: number, cutoff: number): Verdict =>
  rule(
    "BLK-009",
    transactions.every((tx) => isFinal(tx, height, cutoff))
  )

/** What the script of a coinbase of `height` starts with. */
export const heightPush = (height: number): Uint8Array => {
  if (height === 0) return Uint8Array.of(0)
  return height <= 16 ? Uint8Array.of(80 + height) : pushOf(bytesOfNumber(BigInt(height)))
}

export const coinbaseStartsWithHeight = ({ transactions }: NaiveBlock, height: number): Verdict => {
  const push = heightPush(height)
  return rule("BLK-010", sameBytes(transactions[0]!.inputs[0]!.script.subarray(0, push.length), push))
}

const COMMITMENT = [0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed]

/** The last output that commits to the witnesses, −1 without one. */
export const witnessCommitmentIndex = ({ outputs }: NaiveTransaction): number =>
  outputs.findLastIndex(({ script }) => script.length >= 38 && COMMITMENT.every((byte, i) => script[i] === byte))

export const witnessNonceSize = (coinbase: NaiveTransaction): Verdict => {
  const { witness } = coinbase.inputs[0]!
  return rule("BLK-011", witness.length === 1 && witness[0]!.length === 32)
}

/** What the commitment of a block with this nonce is. */
export const witnessCommitment = (transactions: ReadonlyArray<NaiveTransaction>, nonce: Uint8Array): Uint8Array => {
  const ids = transactions.map((tx, i) => (i === 0 ? new Uint8Array(32) : witnessTransactionId(tx)))
  return sha256d(join(merkleRoot(ids).root, nonce))
}

export const witnessCommitmentMatches = ({ transactions }: NaiveBlock, index: number): Verdict => {
  const coinbase = transactions[0]!
  const expected = witnessCommitment(transactions, coinbase.inputs[0]!.witness[0]!)
  return rule("BLK-012", sameBytes(coinbase.outputs[index]!.script.subarray(6, 38), expected))
}

export const noWitness = ({ transactions }: NaiveBlock): Verdict => rule("BLK-013", !transactions.some(hasWitness))

export const blockIsNotTooHeavy = (block: NaiveBlock): Verdict => rule("BLK-014", blockWeight(block) <= 4_000_000)

export const checkWitnesses = (block: NaiveBlock, expected: boolean): Verdict => {
  const [coinbase] = block.transactions
  const index = coinbase !== undefined && expected ? witnessCommitmentIndex(coinbase) : -1
  if (index < 0) return noWitness(block)
  return firstOf(
    () => witnessNonceSize(coinbase!),
    () => witnessCommitmentMatches(block, index)
  )
}

/** The first rule a block breaks by itself, or `OK`. */
export const checkBlock = (block: NaiveBlock, parameters: NaiveParameters): Verdict =>
  firstOf(
    () => rule("WRK-004", provesWork(blockHash(block), readHeader(block.header).bits, parameters.work.powLimit)),
    () => rule("BLK-017", signetSolutionHolds(block, parameters)),
    () => merkleRootCommits(block),
    () => transactionsAreNotRepeated(block),
    () => blockLength(block),
    () => firstIsCoinbase(block),
    () => onlyFirstIsCoinbase(block),
    () => transactionsHold(block),
    () => legacySigOpsFit(block)
  )

/** The first rule a block breaks on top of `chain`, or `OK`. */
export const checkBlockInContext = (block: NaiveBlock, chain: NaiveChain, { heights }: NaiveParameters): Verdict => {
  const height = chain.length
  return firstOf(
    () =>
      transactionsAreFinal(
        block,
        height,
        height >= heights.csv ? medianTimePast(chain) : readHeader(block.header).time
      ),
    () => (height >= heights.bip34 ? coinbaseStartsWithHeight(block, height) : "OK"),
    () => checkWitnesses(block, height >= heights.segwit),
    () => blockIsNotTooHeavy(block)
  )
}

/** Whether a block from a peer is not what its header commits to. */
export const blockIsMutated = (block: NaiveBlock, witnesses: boolean): boolean => {
  if (merkleRootCommits(block) !== "OK" || transactionsAreNotRepeated(block) !== "OK") return true
  if (firstIsCoinbase(block) === "OK") return checkWitnesses(block, witnesses) !== "OK"
  return block.transactions.some((tx) => strippedSize(tx) === 64)
}
