import { ecdsaOf } from "../../property-tests/src/arbitraries/signer.ts"
import { derOf } from "../../property-tests/src/arbitraries/signature.ts"
import { bigEndian } from "../../property-tests/src/oracles/byte-string.ts"
import { BASE, type Point, sum } from "../../property-tests/src/oracles/curve.ts"
import { type Crypto, spendDigests, type Transaction, transactionId, witnessV0Sighash } from "../../kernel/src/index.ts"
import { concatBytes } from "../../kernel/src/bytes/equal.ts"
import { transactionOf } from "../../kernel/src/model/transaction-encode.ts"

/** Pay-to-anchor (P2A): spent without a witness, also by the rules of relay. */
export const PAY_TO_ANCHOR = Uint8Array.of(0x51, 0x02, 0x4e, 0x73)

/** An output that can be spent. */
export interface BenchCoin {
  readonly txid: Uint8Array
  readonly vout: number
  readonly value: bigint
}

/** A key that nothing else uses, so that no memory of keys helps. */
export interface BenchKey {
  readonly secret: bigint
  readonly compressed: Uint8Array
  /** P2WPKH. */
  readonly script: Uint8Array
}

/** One key after another. */
export const benchKeys = (count: number, { hash160 }: Crypto): ReadonlyArray<BenchKey> => {
  let point: Point | undefined
  return Array.from({ length: count }, (_, i) => {
    point = sum(point, BASE)!
    const compressed = concatBytes([Uint8Array.of(Number(2n + point.y % 2n)), bigEndian(point.x, 32)])
    return { secret: BigInt(i + 1), compressed, script: concatBytes([Uint8Array.of(0, 20), hash160(compressed)]) }
  })
}

const SEQUENCE = 0xfffffffd
const ALL = 1

/** An output of so much data and no value. */
const dataOutput = (length: number) => {
  const script = new Uint8Array(length + 4).fill(0x5a)
  script.set([0x6a, 0x4d, length & 0xff, length >> 8])
  return { value: 0n, script }
}

/** Spends coins that need no signature, with so many bytes of data. */
export const spendAnchors = (
  coins: ReadonlyArray<BenchCoin>,
  values: ReadonlyArray<bigint>,
  data = 0
): Transaction =>
  transactionOf({
    version: 2,
    inputs: coins.map(({ txid, vout }) => ({
      prevout: { txid, vout },
      script: new Uint8Array(0),
      sequence: SEQUENCE,
      witness: []
    })),
    outputs: [
      ...values.map((value) => ({ value, script: PAY_TO_ANCHOR })),
      ...data === 0 ? [] : [dataOutput(data)]
    ],
    lockTime: 0
  })

/** Spends a coin that pays to a key. */
export const spendSigned = (
  { txid, value, vout }: BenchCoin,
  { compressed, script, secret }: BenchKey,
  values: ReadonlyArray<bigint>,
  crypto: Crypto
): Transaction => {
  const input = { prevout: { txid, vout }, script: new Uint8Array(0), sequence: SEQUENCE }
  const outputs = values.map((each) => ({ value: each, script: PAY_TO_ANCHOR }))
  const unsigned = transactionOf({ version: 2, inputs: [{ ...input, witness: [] }], outputs, lockTime: 0 })
  const scriptCode = concatBytes([Uint8Array.of(0x76, 0xa9), script.subarray(1), Uint8Array.of(0x88, 0xac)])
  const digests = spendDigests(unsigned, [{ value, script }], crypto)
  const { r, s } = ecdsaOf(witnessV0Sighash(unsigned, 0, scriptCode, value, ALL, digests, crypto), secret)
  const witness = [concatBytes([derOf(r, s), Uint8Array.of(ALL)]), compressed]
  return transactionOf({ version: 2, inputs: [{ ...input, witness }], outputs, lockTime: 0 })
}

/** The outputs of a transaction. */
export const coinsOf = (tx: Transaction, crypto: Crypto): ReadonlyArray<BenchCoin> => {
  const txid = transactionId(tx, crypto)
  return tx.outputs.map(({ value }, vout) => ({ txid, vout, value }))
}
