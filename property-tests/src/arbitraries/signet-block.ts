import fc, { type Arbitrary } from "fast-check"
import type { NaiveBlock } from "../oracles/block.ts"
import { join } from "../oracles/byte-string.ts"
import { type NaiveHeader, readHeader, serializeHeader } from "../oracles/header.ts"
import { pushOf } from "../oracles/instructions.ts"
import { merkleRoot } from "../oracles/merkle.ts"
import { signedSpend } from "../oracles/signet.ts"
import { lengthPrefixed, type NaiveTransaction, serializeWitness, transactionId } from "../oracles/transaction.ts"
import { edgeUint32 } from "./number.ts"
import { type Lock, withKey } from "./locks.ts"
import { validScenario } from "./world.ts"

const MARK = Uint8Array.of(0xec, 0xc7, 0xda, 0xa2)
const COMMITMENT = join([0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed], new Uint8Array(32).fill(9))

/** A network's challenge, and how it is met: by a key, or by nothing at all. */
interface Challenge {
  readonly script: Uint8Array
  readonly lock: Lock | undefined
}

const SIGNED: ReadonlyArray<Challenge> = (["P2PK", "P2MS", "P2WPKH", "P2WSH-multisig", "P2SH-P2WPKH"] as const)
  .map(withKey)
  .map((lock) => ({ script: lock.script, lock }))

const FREE: ReadonlyArray<Challenge> = [
  { script: Uint8Array.of(0x51), lock: undefined },
  { script: withKey("P2TR-key").script, lock: undefined },
  { script: Uint8Array.of(0x00), lock: undefined }
]

/** A block of a signed network, with the index of the output that carries its solution. */
export interface SignetBlock {
  readonly block: NaiveBlock
  readonly challenge: Uint8Array
  readonly index: number
}

/** `header` with the merkle root of `transactions`. */
export const rerooted = (header: NaiveHeader, transactions: ReadonlyArray<NaiveTransaction>): NaiveBlock => ({
  header: serializeHeader({ ...header, merkleRoot: merkleRoot(transactions.map(transactionId)).root }),
  transactions
})

const withOutput = (tx: NaiveTransaction, index: number, script: Uint8Array): NaiveTransaction => ({
  ...tx,
  outputs: tx.outputs.map((output, i) => (i === index ? { ...output, script } : output))
})

/** The block with a solution between `before` and `after` in its commitment, none where `solves` is false. */
const solved = (
  given: NaiveBlock,
  { script, lock }: Challenge,
  header: Partial<NaiveHeader>,
  [before, after]: readonly [Uint8Array, Uint8Array],
  solves: boolean
): SignetBlock => {
  const [coinbase, ...others] = given.transactions
  const paying = { ...coinbase!, outputs: [...coinbase!.outputs, { value: 0n, script: new Uint8Array(0) }] }
  const index = paying.outputs.length - 1
  const carrying = (data: Uint8Array): ReadonlyArray<NaiveTransaction> => [
    withOutput(paying, index, join(COMMITMENT, before, solves ? pushOf(join(MARK, data)) : [], after)),
    ...others
  ]
  const signedHeader = { ...readHeader(given.header), ...header }
  // Anything behind the mark is left out of what is signed.
  const spend = signedSpend(serializeHeader(signedHeader), carrying(Uint8Array.of(0)), index, script)
  const input = lock?.open(spend.tx, spend.spent, 0).inputs[0]
  const solution = join(lengthPrefixed(input?.script ?? new Uint8Array(0)), serializeWitness(input?.witness ?? []))
  return { block: rerooted(signedHeader, carrying(solution)), challenge: script, index }
}

const header: Arbitrary<Partial<NaiveHeader>> = fc.record({
  version: fc.integer({ min: -0x80000000, max: 0x7fffffff }),
  time: edgeUint32
})

/** Instructions beside the solution: empty pushes, numbers, pushes at length, the mark alone. */
const aside: Arbitrary<Uint8Array> = fc.constantFrom(
  new Uint8Array(0),
  new Uint8Array(0),
  Uint8Array.of(0),
  Uint8Array.of(0x51, 0x61),
  Uint8Array.of(0x4c, 0),
  Uint8Array.of(0x4c, 1, 7),
  pushOf(MARK),
  pushOf(join(MARK, [0, 0]))
)

const blockOf = (
  challenges: ReadonlyArray<Challenge>,
  parts: Arbitrary<readonly [Uint8Array, Uint8Array]>,
  solves: Arbitrary<boolean>
) =>
  fc
    .tuple(validScenario, fc.constantFrom(...challenges), header, parts, solves)
    .map(([{ block }, challenge, changed, around, carries]) => solved(block, challenge, changed, around, carries))

/** Blocks with a signature that the challenge asks for. */
export const signedBlock: Arbitrary<SignetBlock> = blockOf(
  SIGNED,
  fc.constant([new Uint8Array(0), new Uint8Array(0)] as const),
  fc.constant(true)
)

/** Blocks with and without signatures, and with all kinds of things around them. */
export const signetBlock: Arbitrary<SignetBlock> = blockOf(
  [...SIGNED, ...FREE],
  fc.tuple(aside, fc.oneof(aside, fc.constantFrom(Uint8Array.of(5, 1), Uint8Array.of(0x4d, 1)))),
  fc.integer({ min: 0, max: 5 }).map((kind) => kind > 0)
)
