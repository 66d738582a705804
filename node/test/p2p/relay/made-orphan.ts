import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import type { ScannedTransaction } from "../../../src/p2p/relay/scan-transaction.ts"

/** A hash that a number stands for; `kind` distinguishes those of one number. */
export const idOf = (value: number, kind: number): Uint8Array => {
  const bytes = new Uint8Array(32).fill(kind)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

/** The output of a made transaction, as an outpoint. */
export const outpointOf = (txid: Uint8Array, vout = 0): Uint8Array =>
  concatBytes([txid, new Uint8Array(new Uint32Array([vout]).buffer)])

/** What orphans spend where a test does not care. */
export const PARENT = idOf(0, 9)

/** An orphan whose bytes hold what it spends and nothing else that counts. */
export const madeOrphan = (
  value: number,
  { inputs, spends = [outpointOf(PARENT)], weight = 100 }: {
    readonly spends?: ReadonlyArray<Uint8Array>
    /** As many as it is to count for, if not those it spends. */
    readonly inputs?: number
    readonly weight?: number
  } = {}
): ScannedTransaction => ({
  bytes: concatBytes([
    new Uint8Array(4),
    encodeCompactSize(spends.length),
    ...spends.flatMap((outpoint) => [outpoint, new Uint8Array(5)]),
    new Uint8Array(5)
  ]),
  txid: idOf(value, 1),
  wtxid: idOf(value, 2),
  hasWitness: false,
  inputs: inputs ?? spends.length,
  outputs: 3,
  weight
})
