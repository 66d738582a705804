import { bytesEqual } from "@lockstep/kernel/bytes"
import { type Transaction, transactionId } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import { readInput } from "./decode-input.ts"
import { readOutput } from "./decode-output.ts"
import { GlobalField, MAGIC } from "./field-types.ts"
import type { Psbt, PsbtInput, PsbtOutput } from "./psbt.ts"
import {
  fail,
  holdKeySize,
  left,
  type PsbtStream,
  streamOn,
  takeBytes,
  takeCompactSize,
  takeExactly,
  takeUint32,
  takeUint8
} from "./psbt-stream.ts"
import { type KeyReading, readFields, readKept, type Steps, takeSizedOrigin } from "./read-keys.ts"
import { takePlainTransaction } from "./read-transaction.ts"
import { globalKeyKey } from "./sort-keys.ts"

const EXTENDED_KEY_SIZE = 78
const HIGHEST_VERSION = 2

/** Global fields that were read so far. */
interface Globals {
  tx: Transaction | undefined
  version: number
  txVersion: number | undefined
  fallbackLockTime: number | undefined
  inputCount: number | undefined
  outputCount: number | undefined
  modifiable: number | undefined
  readonly kept: Pick<Psbt, "globalKeys" | "proprietary" | "unknown">
}

type ReadField = (stream: PsbtStream, key: Uint8Array, globals: Globals, reading: KeyReading) => void

/**
 * Reports whether 78 bytes are an extended public key. One without a parent must have neither a number nor a parent
 * fingerprint.
 */
const isExtendedKey = (bytes: Uint8Array, { isPublicKey }: KeyReading): boolean =>
  isPublicKey(bytes.subarray(45)) && (bytes[4] !== 0 || bytes.subarray(5, 13).every((byte) => byte === 0))

const unsignedTransaction: ReadField = (stream, key, globals) => {
  holdKeySize(stream, key, 1, "Global Unsigned TX")
  if (stream.fault !== undefined) return
  globals.tx = takeExactly(stream, takePlainTransaction)
  if (globals.tx.inputs.some(({ script }) => script.length > 0)) {
    fail(stream, "Unsigned tx does not have empty scriptSigs and scriptWitnesses.")
  }
}

const extendedKey: ReadField = (stream, key, { kept }, reading) => {
  holdKeySize(stream, key, EXTENDED_KEY_SIZE + 1, "Global XPUB")
  const bytes = key.subarray(1)
  if (stream.fault === undefined && !isExtendedKey(bytes, reading)) fail(stream, "Invalid pubkey")
  const origin = takeSizedOrigin(stream)
  if (stream.fault !== undefined) return
  const place = globalKeyKey(bytes, origin)
  if (!kept.globalKeys.has(place)) kept.globalKeys.set(place, { extendedKey: bytes, origin })
}

const number = <A extends number>(
  called: string,
  take: (stream: PsbtStream) => A,
  put: (globals: Globals, value: A) => void
): ReadField =>
(stream, key, globals) => {
  holdKeySize(stream, key, 1, called)
  put(globals, takeExactly(stream, take))
}

const FIELDS: Readonly<Record<number, ReadField>> = {
  [GlobalField.unsignedTransaction]: unsignedTransaction,
  [GlobalField.extendedKey]: extendedKey,
  [GlobalField.txVersion]: number("Global Transaction Version", takeUint32, (globals, value) => {
    globals.txVersion = value
  }),
  [GlobalField.fallbackLockTime]: number("Global Fallback Locktime", takeUint32, (globals, value) => {
    globals.fallbackLockTime = value
  }),
  [GlobalField.inputCount]: number("Global Input Count", takeCompactSize, (globals, value) => {
    globals.inputCount = value
  }),
  [GlobalField.outputCount]: number("Global Output Count", takeCompactSize, (globals, value) => {
    globals.outputCount = value
  }),
  [GlobalField.modifiable]: number("Global TX Modifiable Flags", takeUint8, (globals, value) => {
    globals.modifiable = value
  }),
  [GlobalField.version]: (stream, key, globals) => {
    holdKeySize(stream, key, 1, "Global PSBT Version")
    globals.version = takeExactly(stream, takeUint32)
    if (globals.version > HIGHEST_VERSION) fail(stream, "Unsupported version number")
  }
}

/** Returns the first of these fields that exists. */
const presentOf = (globals: Globals): string | undefined =>
  ([
    ["TX_VERSION", globals.txVersion],
    ["FALLBACK_LOCKTIME", globals.fallbackLockTime],
    ["INPUT_COUNT", globals.inputCount],
    ["OUTPUT_COUNT", globals.outputCount],
    ["TX_MODIFIABLE", globals.modifiable]
  ] as const).find(([, value]) => value !== undefined)?.[0]

const missingOf = ({ inputCount, outputCount, txVersion }: Globals): string | undefined =>
  ([["TX_VERSION", txVersion], ["INPUT_COUNT", inputCount], ["OUTPUT_COUNT", outputCount]] as const)
    .find(([, value]) => value === undefined)?.[0]

/** Returns the fault in the combination of a version and its fields. */
const versionFault = (globals: Globals): string | undefined => {
  if (globals.version === 1) return "There is no PSBT version 1"
  if (globals.version === 0) {
    if (globals.tx === undefined) return "No unsigned transaction was provided"
    const present = presentOf(globals)
    return present && `PSBT_GLOBAL_${present} is not allowed in PSBTv0`
  }
  const missing = missingOf(globals)
  if (missing !== undefined) return `PSBT_GLOBAL_${missing} is required in PSBTv2`
  return globals.tx && "PSBT_GLOBAL_UNSIGNED_TX is not allowed in PSBTv2"
}

const readGlobals = function*(stream: PsbtStream, reading: KeyReading): Steps<Globals> {
  const globals: Globals = {
    tx: undefined,
    version: 0,
    txVersion: undefined,
    fallbackLockTime: undefined,
    inputCount: undefined,
    outputCount: undefined,
    modifiable: undefined,
    kept: { globalKeys: new Map(), proprietary: new Map(), unknown: new Map() }
  }
  yield* readFields(stream, "global", "Separator is missing at the end of the global map", (type, key) => {
    const read = FIELDS[type]
    if (read === undefined) readKept(stream, key, type === GlobalField.proprietary, globals.kept)
    else read(stream, key, globals, reading)
  })
  const fault = stream.fault === undefined ? versionFault(globals) : undefined
  if (fault !== undefined) fail(stream, fault)
  return globals
}

/** Requires the transaction of the spent output to be the one that the input names. */
const holdUtxo = (stream: PsbtStream, { nonWitnessUtxo, prevout }: PsbtInput, { crypto }: KeyReading): void => {
  if (nonWitnessUtxo === undefined || stream.fault !== undefined) return
  if (!bytesEqual(transactionId(nonWitnessUtxo, crypto), prevout.txid)) {
    fail(stream, "Non-witness UTXO does not match outpoint hash")
  } else if (prevout.vout >= nonWitnessUtxo.outputs.length) {
    fail(stream, "Input specifies output index that does not exist")
  }
}

/** Returns a PSBT without inputs and outputs. Precondition: the fields fit their version. */
const emptyPsbt = ({ fallbackLockTime, kept, modifiable, tx, txVersion = 0, version }: Globals): Psbt => ({
  version: version === 2 ? 2 : 0,
  txVersion: tx?.version ?? txVersion,
  fallbackLockTime: tx?.lockTime ?? fallbackLockTime,
  modifiable,
  ...kept,
  inputs: [],
  outputs: []
})

const readInputs = function*(
  stream: PsbtStream,
  { inputCount, tx }: Globals,
  reading: KeyReading
): Steps<Array<PsbtInput>> {
  const count = tx?.inputs.length ?? inputCount ?? 0
  const inputs: Array<PsbtInput> = []
  while (left(stream) > 0 && inputs.length < count) {
    const input = yield* readInput(stream, tx?.inputs[inputs.length], reading)
    holdUtxo(stream, input, reading)
    inputs.push(input)
  }
  if (inputs.length !== count) fail(stream, "Inputs provided does not match the number of inputs in transaction.")
  return inputs
}

const readOutputs = function*(
  stream: PsbtStream,
  { outputCount, tx }: Globals,
  reading: KeyReading
): Steps<Array<PsbtOutput>> {
  const count = tx?.outputs.length ?? outputCount ?? 0
  const outputs: Array<PsbtOutput> = []
  while (left(stream) > 0 && outputs.length < count) {
    outputs.push(yield* readOutput(stream, tx?.outputs[outputs.length], reading))
  }
  if (outputs.length !== count) fail(stream, "Outputs provided does not match the number of outputs in transaction.")
  return outputs
}

const readPsbt = function*(stream: PsbtStream, reading: KeyReading): Steps<Psbt> {
  if (!bytesEqual(takeBytes(stream, MAGIC.length), MAGIC)) fail(stream, "Invalid PSBT magic bytes")
  const globals = yield* readGlobals(stream, reading)
  const inputs = yield* readInputs(stream, globals, reading)
  const outputs = yield* readOutputs(stream, globals, reading)
  return { ...emptyPsbt(globals), inputs, outputs }
}

/** Suffix of stream exceptions in Bitcoin Core. */
const STREAM_FAULT = ": iostream error"

/**
 * Decodes a partially signed transaction of version 0 (BIP174) or 2 (BIP370), with the fields of BIP371 and BIP373.
 * Fails with the fault in the words of Bitcoin Core. Fields of other types are kept. Reads in steps of at most a few
 * keys.
 */
export const psbtSteps = function*(bytes: Uint8Array, reading: KeyReading): Steps<Result.Result<Psbt, string>> {
  const stream = streamOn(bytes)
  const psbt = yield* readPsbt(stream, reading)
  if (stream.fault !== undefined) return Result.fail(`${stream.fault}${STREAM_FAULT}`)
  return left(stream) > 0 ? Result.fail("extra data after PSBT") : Result.succeed(psbt)
}

/** Decodes a partially signed transaction in one step. */
export const decodePsbt = (bytes: Uint8Array, reading: KeyReading): Result.Result<Psbt, string> => {
  const steps = psbtSteps(bytes, reading)
  for (let step = steps.next();; step = steps.next()) if (step.done === true) return step.value
}
