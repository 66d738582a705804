import { isZero } from "@lockstep/kernel/bytes"
import { NO_FAULT, ScriptFlag } from "@lockstep/kernel/script"
import { signatureIsStrictDer } from "@lockstep/kernel/signature"
import { hashTypeIsDefined } from "@lockstep/kernel/policy"
import type { OutPoint } from "@lockstep/kernel/model"
import { hexOf } from "../hex.ts"
import { InputField } from "./field-types.ts"
import { type PreimageKind, type PsbtInput, psbtInput } from "./psbt.ts"
import {
  fail,
  holdKeySize,
  type PsbtStream,
  takeBytes,
  takeCompactSize,
  takeExactly,
  takeInt64,
  takeSized,
  takeUint32
} from "./psbt-stream.ts"
import {
  type KeyReading,
  publicKeyOf,
  type ReadField,
  readMusigParticipants,
  readMusigPart,
  readOrigin,
  readTaprootOrigin,
  readVersioned,
  type Steps
} from "./read-keys.ts"
import { takeTransaction } from "./read-transaction.ts"
import { leafKey, shortestFirst } from "./sort-keys.ts"

const LOCKTIME_THRESHOLD = 500_000_000

/** Reads the value of a field into an input. */
type ReadInput = ReadField<PsbtInput>

/** Returns a script or signature, or `undefined` if it is empty. */
export const someBytes = (bytes: Uint8Array): Uint8Array | undefined => bytes.length === 0 ? undefined : bytes

/** Returns a key or hash, or `undefined` if it is zero. */
export const nonZero = (bytes: Uint8Array): Uint8Array | undefined => isZero(bytes) ? undefined : bytes

const word = (called: string, put: (input: PsbtInput, value: number) => void): ReadInput => (stream, key, input) => {
  holdKeySize(stream, key, 1, called)
  put(input, takeExactly(stream, takeUint32))
}

const sized = (called: string, put: (input: PsbtInput, value: Uint8Array | undefined) => void): ReadInput =>
(
  stream,
  key,
  input
) => {
  holdKeySize(stream, key, 1, called)
  put(input, someBytes(takeSized(stream)))
}

const thirtyTwo =
  (called: string, put: (input: PsbtInput, value: Uint8Array) => void): ReadInput => (stream, key, input) => {
    holdKeySize(stream, key, 1, called)
    put(input, takeExactly(stream, (at) => takeBytes(at, 32)))
  }

const preimage = (kind: PreimageKind, called: string, size: number): ReadInput => (stream, key, input) => {
  holdKeySize(stream, key, size + 1, `Input ${called} Preimage`)
  const hash = key.subarray(1)
  input.preimages[kind].set(hexOf(hash), { hash, preimage: takeSized(stream) })
}

const isEncoded = (signature: Uint8Array): boolean =>
  signature.length > 0 && signatureIsStrictDer(signature, ScriptFlag.STRICTENC) === NO_FAULT &&
  hashTypeIsDefined(signature, ScriptFlag.STRICTENC) === NO_FAULT

const partialSignature: ReadInput = (stream, key, input, reading) => {
  const publicKey = publicKeyOf(stream, key, "partial signature pubkey", reading)
  const signature = takeSized(stream)
  if (!isEncoded(signature)) fail(stream, "Signature is not a valid encoding")
  const place = hexOf(reading.crypto.hash160(publicKey))
  if (!input.partialSignatures.has(place)) input.partialSignatures.set(place, { key: publicKey, signature })
}

const witnessUtxo: ReadInput = (stream, key, input) => {
  holdKeySize(stream, key, 1, "Input Witness UTXO")
  const output = takeExactly(stream, (at) => ({ value: takeInt64(at), script: takeSized(at) }))
  // A value of -1 marks a missing output.
  input.witnessUtxo = output.value === -1n ? undefined : output
}

const finalWitness: ReadInput = (stream, key, input) => {
  holdKeySize(stream, key, 1, "Input Final scriptWitness")
  const items: Array<Uint8Array> = []
  takeExactly(stream, (at) => {
    const count = takeCompactSize(at)
    while (items.length < count && at.fault === undefined) items.push(takeSized(at))
  })
  input.finalWitness = items.length === 0 ? undefined : items
}

const holdSignature = (stream: PsbtStream, signature: Uint8Array, path: "key" | "script"): void => {
  const called = `Input Taproot ${path} path signature`
  if (signature.length < 64) fail(stream, `${called} is shorter than 64 bytes`)
  else if (signature.length > 65) fail(stream, `${called} is longer than 65 bytes`)
}

const taprootKeySignature: ReadInput = (stream, key, input) => {
  holdKeySize(stream, key, 1, "Input Taproot Key Path Signature")
  input.taprootKeySignature = takeSized(stream)
  holdSignature(stream, input.taprootKeySignature, "key")
}

const taprootScriptSignature: ReadInput = (stream, key, input) => {
  holdKeySize(stream, key, 65, "Input Taproot Script Path Signature")
  const signature = takeSized(stream)
  holdSignature(stream, signature, "script")
  input.taprootScriptSignatures.set(hexOf(key.subarray(1)), {
    key: key.subarray(1, 33),
    leafHash: key.subarray(33),
    signature
  })
}

const taprootScript: ReadInput = (stream, key, input) => {
  if (key.length < 34) fail(stream, "Input Taproot leaf script key is not at least 34 bytes")
  else if ((key.length - 2) % 32 !== 0) {
    fail(stream, "Input Taproot leaf script key's control block size is not valid")
  }
  const value = takeSized(stream)
  if (value.length === 0) fail(stream, "Input Taproot leaf script must be at least 1 byte")
  if (stream.fault !== undefined) return
  const script = value.subarray(0, -1)
  const version = value.at(-1)!
  const place = leafKey(script, version)
  const leaf = input.taprootScripts.get(place) ?? { script, version, controlBlocks: new Map<string, Uint8Array>() }
  leaf.controlBlocks.set(shortestFirst(key.subarray(1)), key.subarray(1))
  input.taprootScripts.set(place, leaf)
}

const timeLock: ReadInput = (stream, key, input) => {
  holdKeySize(stream, key, 1, "Input Required Time Based Locktime")
  input.timeLockTime = takeExactly(stream, takeUint32)
  if (input.timeLockTime < LOCKTIME_THRESHOLD) {
    fail(stream, "Required time based locktime is invalid (less than 500000000)")
  }
}

const heightLock: ReadInput = (stream, key, input) => {
  holdKeySize(stream, key, 1, "Input Required Height Based Locktime")
  input.heightLockTime = takeExactly(stream, takeUint32)
  if (input.heightLockTime >= LOCKTIME_THRESHOLD) {
    fail(stream, "Required height based locktime is invalid (greater than or equal to 500000000)")
  } else if (input.heightLockTime === 0) fail(stream, "Required height based locktime is invalid (0)")
}

/** Fields of version 2 by type, with their names in faults. Version 0 has them in its transaction. */
const VERSION_2: Readonly<Record<number, readonly [key: string, name: string, read: ReadInput]>> = {
  [InputField.previousTxid]: [
    "Input Previous TXID",
    "Previous txid",
    thirtyTwo("Input Previous TXID", (input, txid) => {
      input.prevout = { ...input.prevout, txid }
    })
  ],
  [InputField.outputIndex]: [
    "Input Previous Output's Index",
    "Previous output's index",
    word("Input Previous Output's Index", (input, vout) => {
      input.prevout = { ...input.prevout, vout }
    })
  ],
  [InputField.sequence]: [
    "Input Sequence",
    "Sequence",
    word("Input Sequence", (input, sequence) => {
      input.sequence = sequence
    })
  ],
  [InputField.timeLockTime]: ["Input Required Time Based Locktime", "Required time based locktime", timeLock],
  [InputField.heightLockTime]: ["Input Required Height Based Locktime", "Required height based locktime", heightLock]
}

const FIELDS: Readonly<Record<number, ReadInput>> = {
  [InputField.nonWitnessUtxo]: (stream, key, input) => {
    holdKeySize(stream, key, 1, "Input Non-witness UTXO")
    input.nonWitnessUtxo = takeExactly(stream, takeTransaction)
  },
  [InputField.witnessUtxo]: witnessUtxo,
  [InputField.partialSignature]: partialSignature,
  [InputField.sighashType]: word("Input Sighash Type", (input, type) => {
    input.sighashType = type | 0
  }),
  [InputField.redeemScript]: sized("Input redeemScript", (input, script) => {
    input.redeemScript = script
  }),
  [InputField.witnessScript]: sized("Input witnessScript", (input, script) => {
    input.witnessScript = script
  }),
  [InputField.origin]: (stream, key, input, reading) => readOrigin(stream, key, input.origins, reading),
  [InputField.finalScript]: sized("Input Final scriptSig", (input, script) => {
    input.finalScript = script
  }),
  [InputField.finalWitness]: finalWitness,
  [InputField.ripemd160]: preimage("ripemd160", "RIPEMD160", 20),
  [InputField.sha256]: preimage("sha256", "SHA256", 32),
  [InputField.hash160]: preimage("hash160", "Hash160", 20),
  [InputField.hash256]: preimage("hash256", "Hash256", 32),
  [InputField.taprootKeySignature]: taprootKeySignature,
  [InputField.taprootScriptSignature]: taprootScriptSignature,
  [InputField.taprootScript]: taprootScript,
  [InputField.taprootOrigin]: (stream, key, input) => readTaprootOrigin(stream, key, input.taprootOrigins, "Input"),
  [InputField.taprootInternalKey]: thirtyTwo("Input Taproot Internal Key", (input, key) => {
    input.taprootInternalKey = nonZero(key)
  }),
  [InputField.taprootMerkleRoot]: thirtyTwo("Input Taproot Merkle Root", (input, root) => {
    input.taprootMerkleRoot = nonZero(root)
  }),
  [InputField.musigParticipants]: (stream, key, input, reading) =>
    readMusigParticipants(stream, key, input.musigParticipants, "Input", reading),
  [InputField.musigNonce]: (stream, key, input, reading) =>
    readMusigPart(stream, key, input.musigNonces, "pubnonce", reading),
  [InputField.musigPartialSignature]: (stream, key, input, reading) =>
    readMusigPart(stream, key, input.musigPartialSignatures, "partial sig", reading)
}

const NOWHERE: OutPoint = { txid: new Uint8Array(32), vout: 0 }

/** Reads an input. `spends` has the fields that version 0 stores in its transaction. */
export const readInput = function*(
  stream: PsbtStream,
  spends: { readonly prevout: OutPoint; readonly sequence: number } | undefined,
  reading: KeyReading
): Steps<PsbtInput> {
  const input = psbtInput(spends?.prevout ?? NOWHERE, spends?.sequence)
  const fields = { always: FIELDS, version2: VERSION_2, proprietary: InputField.proprietary }
  const found = yield* readVersioned(stream, "input", fields, spends !== undefined, input, reading)
  if (spends !== undefined) return input
  if (!found.has(InputField.previousTxid)) fail(stream, "Previous TXID is required in PSBTv2")
  if (!found.has(InputField.outputIndex)) fail(stream, "Previous output's index is required in PSBTv2")
  return input
}
