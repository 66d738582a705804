import type { Crypto } from "@lockstep/kernel/crypto"
import { encodeParts } from "@lockstep/kernel/model"
import { type Psbt, psbtInput, psbtOutput } from "./psbt.ts"

/** Parts of a transaction. */
export type UnsignedParts = Parameters<typeof encodeParts>[0]

const FINAL_SEQUENCE = 0xffffffff
const NOTHING = new Uint8Array(0)

/**
 * Returns the lock time of the transaction (BIP370): a height if every input with a requirement accepts a height, else
 * a time. Returns `undefined` if one input accepts only heights and another one only times.
 */
export const lockTimeOf = ({ fallbackLockTime = 0, inputs, version }: Psbt): number | undefined => {
  if (version === 0) return fallbackLockTime
  const asking = inputs.filter(({ heightLockTime, timeLockTime }) => (heightLockTime ?? timeLockTime) !== undefined)
  if (asking.length === 0) return fallbackLockTime
  if (asking.every(({ heightLockTime }) => heightLockTime !== undefined)) {
    return asking.reduce((most, { heightLockTime }) => Math.max(most, heightLockTime!), 0)
  }
  return asking.every(({ timeLockTime }) => timeLockTime !== undefined)
    ? asking.reduce((most, { timeLockTime }) => Math.max(most, timeLockTime!), 0)
    : undefined
}

/** Returns the transaction to be signed, or `undefined` if its inputs cannot have a common lock time. */
export const unsignedParts = (psbt: Psbt): UnsignedParts | undefined => {
  const lockTime = lockTimeOf(psbt)
  if (lockTime === undefined) return undefined
  return {
    version: psbt.txVersion,
    inputs: psbt.inputs.map(({ prevout, sequence = FINAL_SEQUENCE }) => ({
      prevout,
      script: NOTHING,
      sequence,
      witness: []
    })),
    outputs: psbt.outputs.map(({ script, value }) => ({ script, value })),
    lockTime
  }
}

/** Returns the id of the transaction while it is being signed; version 2 ignores sequence numbers. */
export const uniqueId = (psbt: Psbt, crypto: Crypto): Uint8Array | undefined => {
  const parts = unsignedParts(psbt)
  if (parts === undefined) return undefined
  const inputs = psbt.version === 0 ? parts.inputs : parts.inputs.map((input) => ({ ...input, sequence: 0 }))
  return crypto.sha256d(encodeParts({ ...parts, inputs }))
}

/** Builds a partially signed transaction from the transaction alone. */
export const psbtOf = ({ inputs, lockTime, outputs, version: txVersion }: UnsignedParts, version: 0 | 2): Psbt => ({
  version,
  txVersion,
  fallbackLockTime: lockTime,
  modifiable: undefined,
  globalKeys: new Map(),
  inputs: inputs.map(({ prevout, sequence }) => psbtInput(prevout, sequence)),
  outputs: outputs.map(({ script, value }) => psbtOutput(value, script)),
  proprietary: new Map(),
  unknown: new Map()
})
