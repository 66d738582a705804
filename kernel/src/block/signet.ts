import * as Result from "effect/Result"
import { readCompactSize } from "../bytes/compact-size.ts"
import { cursorOn, readBytes } from "../bytes/cursor.ts"
import { bytesEqual, concatBytes } from "../bytes/equal.ts"
import type { Crypto } from "../crypto/crypto.ts"
import type { ChainParameters } from "../parameters/chain-parameters.ts"
import type { Block } from "../model/block.ts"
import type { BlockIdentity } from "../model/block-identity.ts"
import { transactionId } from "../model/identity.ts"
import type { Transaction } from "../model/transaction.ts"
import { transactionOf } from "../model/transaction-encode.ts"
import { ScriptFlag } from "../script/flags.ts"
import { instructionEnd, lengthFieldSize } from "../script/instruction.ts"
import { createMachine } from "../machine/machine.ts"
import { Opcode } from "../script/opcode.ts"
import { pushOf } from "../interpreter/check-ecdsa.ts"
import { verifyScript } from "../interpreter/verify-script.ts"
import { spendDigests } from "../sighash/digests.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { merkleRoot } from "./merkle.ts"
import { witnessCommitmentIndex } from "./witness-commitment.ts"

export type UnsignedBlock = Violation<"BLK-017", null>

/** Marks the push in the witness commitment that carries the solution. */
const SOLUTION_HEADER = Uint8Array.of(0xec, 0xc7, 0xda, 0xa2)

const SIGNET_FLAGS = ScriptFlag.P2SH | ScriptFlag.WITNESS | ScriptFlag.DERSIG | ScriptFlag.NULLDUMMY

/** A commitment script without its solution, and the solution; absent if no push carries one. */
interface Cleared {
  readonly script: Uint8Array
  readonly solution: Uint8Array
}

const carriesSolution = (data: Uint8Array): boolean =>
  data.length > SOLUTION_HEADER.length && bytesEqual(data.subarray(0, SOLUTION_HEADER.length), SOLUTION_HEADER)

/**
 * Takes the solution out of `script`: its push keeps the header alone, and every push is written in its shortest form.
 */
const clearSolution = (script: Uint8Array): Cleared | undefined => {
  const parts: Array<Uint8Array> = []
  let solution: Uint8Array | undefined
  for (let pc = 0; pc < script.length;) {
    const opcode = script[pc]!
    const end = instructionEnd(script, pc)
    if (end > script.length) break
    const data = script.subarray(pc + 1 + lengthFieldSize(opcode), end)
    if (data.length === 0) parts.push(Uint8Array.of(opcode))
    else if (solution === undefined && carriesSolution(data)) {
      solution = data.subarray(SOLUTION_HEADER.length)
      parts.push(pushOf(SOLUTION_HEADER))
    } else parts.push(pushOf(data))
    pc = end
  }
  return solution === undefined ? undefined : { script: concatBytes(parts), solution }
}

/** Returns the witness and scriptSig that a solution serializes, or `undefined` if the serialization is invalid. */
const readSolution = (
  solution: Uint8Array
): { readonly script: Uint8Array; readonly witness: ReadonlyArray<Uint8Array> } | undefined => {
  const cursor = cursorOn(solution)
  const script = readBytes(cursor, readCompactSize(cursor))
  const count = readCompactSize(cursor)
  const witness: Array<Uint8Array> = []
  for (let i = 0; i < count && cursor.broken === undefined; i++) {
    witness.push(readBytes(cursor, readCompactSize(cursor)))
  }
  return cursor.broken === undefined && cursor.offset === solution.length ? { script, witness } : undefined
}

/** The coinbase with output `index` paying to `script` instead. */
const withOutputScript = (coinbase: Transaction, index: number, script: Uint8Array): Transaction =>
  transactionOf({
    version: coinbase.version,
    inputs: coinbase.inputs.map((input) => ({ ...input, witness: [] })),
    outputs: coinbase.outputs.map((output, i) => i === index ? { value: output.value, script } : output),
    lockTime: coinbase.lockTime
  })

/** Version, previous hash, root without the solution, time: what a solution signs of the block. */
const signedHeader = (block: Block, root: Uint8Array): Uint8Array =>
  concatBytes([block.header.bytes.subarray(0, 36), root, block.header.bytes.subarray(68, 72)])

/** The transaction whose output holds the challenge, committing to the block. */
const challengeTransaction = (signed: Uint8Array, challenge: Uint8Array): Transaction =>
  transactionOf({
    version: 0,
    inputs: [{
      prevout: { txid: new Uint8Array(32), vout: 0xffffffff },
      script: concatBytes([Uint8Array.of(Opcode.OP_0), pushOf(signed)]),
      sequence: 0,
      witness: []
    }],
    outputs: [{ value: 0n, script: challenge }],
    lockTime: 0
  })

const solutionHolds = (block: Block, identity: BlockIdentity, challenge: Uint8Array, crypto: Crypto): boolean => {
  const coinbase = block.transactions[0]
  if (coinbase === undefined) return false
  const index = witnessCommitmentIndex(coinbase)
  if (index < 0) return false
  const commitment = coinbase.outputs[index]!.script
  // Without a solution the challenge may still be one that needs no solution.
  const cleared = clearSolution(commitment) ?? { script: commitment, solution: Uint8Array.of(0, 0) }
  const solution = readSolution(cleared.solution)
  if (solution === undefined) return false
  const ids = new Uint8Array(identity.transactionIds)
  ids.set(transactionId(withOutputScript(coinbase, index, cleared.script), crypto))
  const toSpend = challengeTransaction(signedHeader(block, merkleRoot(ids, crypto).root), challenge)
  const tx = transactionOf({
    version: 0,
    inputs: [{ prevout: { txid: transactionId(toSpend, crypto), vout: 0 }, ...solution, sequence: 0 }],
    outputs: [{ value: 0n, script: Uint8Array.of(Opcode.OP_RETURN) }],
    lockTime: 0
  })
  const spentOutputs = toSpend.outputs
  const digests = spendDigests(tx, spentOutputs, crypto)
  return Result.isSuccess(
    verifyScript(createMachine(crypto), { tx, inputIndex: 0, spentOutputs, digests, flags: SIGNET_FLAGS })
  )
}

/**
 * On a signed network the coinbase carries a solution to the network's challenge, over the block without that solution
 * (BIP325). A virtual transaction pays to the challenge and commits to the block; a second one spends it.
 *
 * Holds on every other network, and for the genesis block.
 *
 * @spec BLK-017 #8eee3cea
 */
export const signetSolutionHolds = (
  block: Block,
  identity: BlockIdentity,
  parameters: ChainParameters,
  crypto: Crypto
): Verdict<void, UnsignedBlock> => {
  const { genesisHash, signetChallenge } = parameters
  return signetChallenge === undefined || bytesEqual(identity.hash, genesisHash) ||
      solutionHolds(block, identity, signetChallenge, crypto)
    ? HOLDS
    : Result.fail(violation("BLK-017", null))
}
