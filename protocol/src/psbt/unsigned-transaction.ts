import type { Crypto } from "@lockstep/kernel/crypto"
import { encodeParts } from "@lockstep/kernel/model"
import { type Psbt, psbtInput, psbtOutput } from "./psbt.ts"

/** What a transaction is made of. */
export type UnsignedParts = Parameters<typeof encodeParts>[0]

const FINAL_SEQUENCE = 0xffffffff
const NOTHING = new Uint8Array(0)

/**
 * The lock time of the transaction (BIP370): a height where every input that asks for one takes a height, else a time.
 * None: one input takes heights alone and another one times alone.
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

/** The transaction that is to be signed; none: its inputs cannot have one lock time. */
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

/** What identifies the transaction while it is worked on: version 2 leaves sequence numbers out. */
export const uniqueId = (psbt: Psbt, crypto: Crypto): Uint8Array | undefined => {
  const parts = unsignedParts(psbt)
  if (parts === undefined) return undefined
  const inputs = psbt.version === 0 ? parts.inputs : parts.inputs.map((input) => ({ ...input, sequence: 0 }))
  return crypto.sha256d(encodeParts({ ...parts, inputs }))
}

/** A partially signed transaction of which nothing is known but the transaction itself. */
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
