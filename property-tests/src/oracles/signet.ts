import { type NaiveBlock, blockHash } from "./block.ts"
import { join, littleEndian, sameBytes } from "./byte-string.ts"
import { readCompactSize } from "./compact-size.ts"
import type { NaiveParameters } from "./deployments.ts"
import { readHeader } from "./header.ts"
import { instructionsOf, pushOf } from "./instructions.ts"
import { merkleRoot } from "./merkle.ts"
import { type NaiveTransaction, transactionId } from "./transaction.ts"
import { verifyScript } from "./verify-script.ts"

const MARK = [0xec, 0xc7, 0xda, 0xa2]
const COMMITMENT = [0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed]

const startsWith = (bytes: Uint8Array, front: ReadonlyArray<number>): boolean =>
  front.every((byte, i) => bytes[i] === byte)

/** A commitment without the solution in it, and the solution; an empty one where there is none. */
const split = (script: Uint8Array): { readonly cleared: Uint8Array; readonly solution: Uint8Array } => {
  const { instructions } = instructionsOf(script)
  const at = instructions.findIndex(({ data }) => data.length > 4 && startsWith(data, MARK))
  if (at < 0) return { cleared: script, solution: Uint8Array.of(0, 0) }
  const written = instructions.map(({ opcode, data }, i) => {
    if (i === at) return pushOf(Uint8Array.from(MARK))
    return data.length === 0 ? Uint8Array.of(opcode) : pushOf(data)
  })
  return { cleared: join(...written), solution: instructions[at]!.data.subarray(4) }
}

/** A byte string with its length in front, and what follows it. */
const readPrefixed = (bytes: Uint8Array): readonly [Uint8Array, Uint8Array] | undefined => {
  const size = readCompactSize(bytes)
  if (typeof size === "string" || size.size + size.value > bytes.length) return undefined
  return [bytes.subarray(size.size, size.size + size.value), bytes.subarray(size.size + size.value)]
}

type Solution = { readonly script: Uint8Array; readonly witness: ReadonlyArray<Uint8Array> }

/** ScriptSig and witness, and nothing behind them. */
const readSolution = (bytes: Uint8Array): Solution | undefined => {
  const script = readPrefixed(bytes)
  const count = script && readCompactSize(script[1])
  if (script === undefined || count === undefined || typeof count === "string") return undefined
  const witness: Array<Uint8Array> = []
  let rest = script[1].subarray(count.size)
  while (witness.length < count.value) {
    const item = readPrefixed(rest)
    if (item === undefined) return undefined
    witness.push(item[0])
    rest = item[1]
  }
  return rest.length === 0 ? { script: script[0], witness } : undefined
}

/** The transaction that a solution spends: it commits to the block, with `root` for its merkle root. */
const challengeTransaction = (header: Uint8Array, root: Uint8Array, challenge: Uint8Array): NaiveTransaction => {
  const { previous, time, version } = readHeader(header)
  const message = join(littleEndian(version, 4), previous, root, littleEndian(time, 4))
  return {
    version: 0,
    inputs: [{
      txid: new Uint8Array(32),
      vout: 0xffffffff,
      script: join([0], pushOf(message)),
      sequence: 0,
      witness: []
    }],
    outputs: [{ value: 0n, script: challenge }],
    lockTime: 0
  }
}

const spendOf = (challenge: NaiveTransaction, { script, witness }: Solution): NaiveTransaction => ({
  version: 0,
  inputs: [{ txid: transactionId(challenge), vout: 0, script, sequence: 0, witness }],
  outputs: [{ value: 0n, script: Uint8Array.of(0x6a) }],
  lockTime: 0
})

const rootWith = (transactions: ReadonlyArray<NaiveTransaction>, index: number, script: Uint8Array): Uint8Array => {
  const [coinbase, ...others] = transactions
  const outputs = coinbase!.outputs.map((output, i) => (i === index ? { ...output, script } : output))
  return merkleRoot([{ ...coinbase!, outputs }, ...others].map(transactionId)).root
}

/** What a solution signs, and by what it is judged: the spend of the challenge, still without scriptSig and witness. */
export const signedSpend = (
  header: Uint8Array,
  transactions: ReadonlyArray<NaiveTransaction>,
  index: number,
  challenge: Uint8Array,
  solution: Solution = { script: new Uint8Array(0), witness: [] }
): Parameters<typeof verifyScript>[0] => {
  const { cleared } = split(transactions[0]!.outputs[index]!.script)
  const paying = challengeTransaction(header, rootWith(transactions, index, cleared), challenge)
  const flags = new Set(["P2SH", "WITNESS", "DERSIG", "NULLDUMMY"])
  return { tx: spendOf(paying, solution), index: 0, spent: paying.outputs, flags }
}

/** BIP325: the block carries a solution of the network's challenge, if the network has one. */
export const signetSolutionHolds = (block: NaiveBlock, { genesisHash, signetChallenge }: NaiveParameters): boolean => {
  if (signetChallenge === undefined || sameBytes(blockHash(block), genesisHash)) return true
  const [coinbase] = block.transactions
  const index =
    coinbase?.outputs.findLastIndex(({ script }) => script.length >= 38 && startsWith(script, COMMITMENT)) ?? -1
  if (index < 0) return false
  const solution = readSolution(split(coinbase!.outputs[index]!.script).solution)
  if (solution === undefined) return false
  return verifyScript(signedSpend(block.header, block.transactions, index, signetChallenge, solution)) === "OK"
}
