import { EMPTY_MUHASH, type MuHash } from "@lockstep/kernel/utxo-hash"

/** The running numbers that the statistics of the next block are added to. */
export interface RunningState {
  readonly txouts: number
  readonly bogoSize: bigint
  readonly total: bigint
  readonly unspendable: bigint
  readonly muHash: MuHash
}

/** The state before any block. */
export const NOTHING_YET: RunningState = { txouts: 0, bogoSize: 0n, total: 0n, unspendable: 0n, muHash: EMPTY_MUHASH }

const FIELD = 384
const HEAD = 32
const SIZE = HEAD + 2 * FIELD

const hexOf = (value: bigint): string => value.toString(16).padStart(2 * FIELD, "0")

/** Encodes four numbers of eight bytes, then numerator and denominator of the hash, all big-endian. */
export const encodeRunningState = ({ bogoSize, muHash, total, txouts, unspendable }: RunningState): Uint8Array => {
  const bytes = new Uint8Array(SIZE)
  const view = new DataView(bytes.buffer)
  for (const [i, number] of [BigInt(txouts), bogoSize, total, unspendable].entries()) view.setBigInt64(8 * i, number)
  bytes.set(Buffer.from(hexOf(muHash.numerator) + hexOf(muHash.denominator), "hex"), HEAD)
  return bytes
}

/** Returns `undefined` for invalid bytes. */
export const decodeRunningState = (bytes: Uint8Array): RunningState | undefined => {
  if (bytes.length !== SIZE) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const field = (at: number): bigint => BigInt(`0x${Buffer.from(bytes.subarray(at, at + FIELD)).toString("hex")}`)
  return {
    txouts: Number(view.getBigInt64(0)),
    bogoSize: view.getBigInt64(8),
    total: view.getBigInt64(16),
    unspendable: view.getBigInt64(24),
    muHash: { numerator: field(HEAD), denominator: field(HEAD + FIELD) }
  }
}
