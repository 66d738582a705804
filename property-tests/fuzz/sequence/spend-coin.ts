import { derOf } from "../../src/arbitraries/signature.ts"
import { ecdsaOf, KEY_PAIRS, schnorrOf, tweakedSecret } from "../../src/arbitraries/signer.ts"
import { bigEndian, join, toHex } from "../../src/oracles/byte-string.ts"
import type { NaiveCoin } from "../../src/oracles/coins.ts"
import { BASE, multiple } from "../../src/oracles/curve.ts"
import { hash160, sha256 } from "../../src/oracles/hash.ts"
import { pushOf } from "../../src/oracles/instructions.ts"
import { taprootSighash, witnessV0Sighash } from "../../src/oracles/sighash.ts"
import type { NaiveInput, NaiveTransaction } from "../../src/oracles/transaction.ts"

const TRUE = Uint8Array.of(0x51)
const [PAIR] = KEY_PAIRS
const TWEAKED = tweakedSecret(PAIR!, new Uint8Array(0))
const payToScriptHash = (script: Uint8Array): Uint8Array => join([0xa9], pushOf(hash160(script)), [0x87])

/** True with 190 multisigs in a branch that is not taken: 3,800 signature operations. */
export const MANY_SIGOPS = join([0x51, 0x00, 0x63], new Uint8Array(190).fill(0xae), [0x68])
export const PAY_TO_MANY_SIGOPS = payToScriptHash(MANY_SIGOPS)

type Unlock = (input: NaiveInput, tx: NaiveTransaction, index: number, coins: ReadonlyArray<NaiveCoin>) => NaiveInput

const asItIs: Unlock = (input) => input

const byScript = (redeem: Uint8Array): Unlock => (input) => ({ ...input, script: pushOf(redeem) })

const byWitness: Unlock = (input) => ({ ...input, witness: [TRUE] })

const byKey: Unlock = (input, tx, index, coins) => {
  const code = join([118, 169], pushOf(hash160(PAIR!.compressed)), [136, 172])
  const { r, s } = ecdsaOf(witnessV0Sighash(tx, index, code, coins[index]!.value, 1), PAIR!.secret)
  return { ...input, witness: [join(derOf(r, s), [1]), PAIR!.compressed] }
}

const byOutputKey: Unlock = (input, tx, index, coins) => ({
  ...input,
  witness: [schnorrOf(taprootSighash(tx, index, coins, 0, undefined, undefined), TWEAKED)]
})

/** Scripts that outputs are given, and how each is unlocked; the signed ones are rare since they are slow. */
const KINDS: ReadonlyArray<readonly [script: Uint8Array, unlock: Unlock]> = [
  [TRUE, asItIs],
  [payToScriptHash(TRUE), byScript(TRUE)],
  [join([0], pushOf(sha256(TRUE))), byWitness],
  [PAY_TO_MANY_SIGOPS, byScript(MANY_SIGOPS)],
  // One block or second of relative lock, by the script.
  [Uint8Array.of(0x51, 0xb2), asItIs],
  // An absolute lock to height 108.
  [Uint8Array.of(0x01, 0x6c, 0xb1), asItIs],
  // It cannot be spent, but it is a coin.
  [Uint8Array.of(0x00), asItIs],
  // Not a coin.
  [Uint8Array.of(0x6a, 0x51), asItIs],
  [new Uint8Array(10_001).fill(0x61), asItIs],
  [join([0], pushOf(hash160(PAIR!.compressed))), byKey],
  [join([0x51], pushOf(bigEndian(multiple(TWEAKED, BASE)!.x, 32))), byOutputKey]
]

/** Sixteen numbers to the eleven scripts: one that is true by itself is the commonest. */
export const scriptNumber = (number: number): Uint8Array => KINDS[number < 6 ? 0 : number - 5]![0]

const UNLOCKS = new Map(KINDS.map(([script, unlock]) => [toHex(script), unlock]))

/** The transaction with every input unlocked as its coin asks for. */
export const unlocked = (tx: NaiveTransaction, coins: ReadonlyArray<NaiveCoin>): NaiveTransaction => ({
  ...tx,
  inputs: tx.inputs.map((input, i) => (UNLOCKS.get(toHex(coins[i]!.script)) ?? asItIs)(input, tx, i, coins))
})
