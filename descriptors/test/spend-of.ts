import { type Transaction, transactionOf, type TransactionOutput } from "@lockstep/kernel/model"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { type PsbtInput, psbtInput, type Psbt, psbtOutput } from "@lockstep/protocol/psbt/psbt.ts"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import * as Result from "effect/Result"
import { type DescribedScript, scriptsAt } from "../src/descriptor/descriptor.ts"
import type { SecretKey } from "../src/descriptor/key-text.ts"
import { parseDescriptor } from "../src/descriptor/parse-descriptor.ts"
import { addDescribed, emptyProvider, type SigningProvider } from "../src/psbt/sign/signing-provider.ts"
import { base58CheckText } from "../src/script-text/base58-bytes.ts"

const NOTHING = new Uint8Array(0)

/** The private key of a number. */
export const testKey = (number: number, compressed = true): SecretKey => {
  const secret = Uint8Array.of(...new Uint8Array(31), number)
  return { secret, compressed, publicKey: secp256k1.getPublicKey(secret, compressed) }
}

/** The same in the wallet import format of regtest. */
export const testKeyText = ({ compressed, secret }: SecretKey): string =>
  base58CheckText(Uint8Array.of(0xef, ...secret, ...compressed ? [1] : []))

/** The scripts of a descriptor at position 0. */
export const scriptOfDescriptor = (text: string): DescribedScript => {
  const [expression] = Result.getOrThrow(parseDescriptor(text, NETWORKS.regtest))
  return scriptsAt(expression!, 0, { network: NETWORKS.regtest, crypto: nobleCrypto })![0]!
}

/** What descriptors provide, their private keys too. */
export const providerOfDescriptors = (...texts: ReadonlyArray<string>): SigningProvider => {
  const provider = emptyProvider()
  for (const text of texts) {
    addDescribed(provider, scriptOfDescriptor(text), { secrets: false, origins: false }, nobleCrypto)
  }
  return provider
}

/** A transaction with one input for each of some outputs to spend. */
export const spendingOf = (
  coins: ReadonlyArray<TransactionOutput>,
  { lockTime = 100, outputs = coins.length, sequence = 16 } = {}
): Transaction =>
  transactionOf({
    version: 2,
    lockTime,
    inputs: coins.map((_, vout) => ({
      prevout: { txid: new Uint8Array(32).fill(7), vout },
      script: NOTHING,
      sequence,
      witness: []
    })),
    outputs: Array.from({ length: outputs }, () => ({ value: 1_000n, script: Uint8Array.of(0x51) }))
  })

/** The same as a partially signed transaction that knows the outputs it spends. */
export const psbtOfSpending = (tx: Transaction, coins: ReadonlyArray<TransactionOutput>): Psbt => ({
  version: 2,
  txVersion: tx.version,
  fallbackLockTime: tx.lockTime,
  modifiable: undefined,
  globalKeys: new Map(),
  proprietary: new Map(),
  unknown: new Map(),
  inputs: tx.inputs.map(({ prevout, sequence }, i): PsbtInput => ({
    ...psbtInput(prevout, sequence),
    witnessUtxo: coins[i]
  })),
  outputs: tx.outputs.map(({ script, value }) => psbtOutput(value, script))
})
