import type { AvailableProvider } from "../../crypto/src/index.ts"
import { type Crypto, decodeTransaction, spendDigests } from "../../kernel/src/index.ts"
import { legacySighash } from "../../kernel/src/sighash/legacy.ts"
import { serializeTransaction } from "../../property-tests/src/oracles/transaction.ts"
import { type Effort, median, race, ratio, type Timing } from "../measure.ts"
import type { Row } from "../row.ts"

/** Inputs of a public key hash that fit one megabyte. */
const INPUTS = 5_500
/** How many of them are hashed, evenly spread; the figure is for all. */
const SAMPLES = 16
const ALL = 1

const keyHashScript = Uint8Array.of(118, 169, 20, ...new Uint8Array(20).fill(7), 136, 172)

const transactionBytes = (): Uint8Array => {
  const inputs = Array.from({ length: INPUTS }, (_, vout) => ({
    txid: new Uint8Array(32).fill(vout),
    vout,
    script: new Uint8Array(139).fill(1),
    sequence: 0xffffffff,
    witness: []
  }))
  return serializeTransaction({
    version: 1,
    inputs,
    outputs: [{ value: 5_000_000_000n, script: keyHashScript }],
    lockTime: 0
  })
}

/** Whatever `work` has hashed by `sha256d`, in order. */
const hashedBy = (work: (crypto: Crypto) => void, crypto: Crypto): ReadonlyArray<Uint8Array> => {
  const hashed: Array<Uint8Array> = []
  work({
    ...crypto,
    sha256d: (data) => {
      hashed.push(data)
      return crypto.sha256d(data)
    }
  })
  return hashed
}

/** The name of the row. */
export const LEGACY_TRANSACTION = `legacy ALL, ${INPUTS.toLocaleString("en-US")} inputs in 1 MB`

/**
 * The worst case of legacy signature hashes: every one of thousands of inputs hashes the whole transaction. How long
 * the hashes of all inputs take, against hashing the same preimages ready-made.
 */
export const legacyTransactionRows = (
  providers: ReadonlyArray<AvailableProvider>,
  effort: Effort
): ReadonlyArray<Row> => {
  const decoded = decodeTransaction(transactionBytes())
  if (decoded._tag === "Failure") {
    throw new Error(`the bench made bytes that are no transaction (${decoded.failure.rule})`)
  }
  const tx = decoded.success
  const spentOutputs = tx.inputs.map(() => ({ value: 1_000_000n, script: keyHashScript }))
  return providers.map(({ crypto, name }) => {
    const digests = spendDigests(tx, spentOutputs, crypto)
    const sighash = (sample: number, by: Crypto): Uint8Array =>
      legacySighash(tx, Math.floor(((sample % SAMPLES) * INPUTS) / SAMPLES), keyHashScript, ALL, digests, by)
    const preimages = hashedBy((noting) => {
      for (let sample = 0; sample < SAMPLES; sample++) sighash(sample, noting)
    }, crypto)
    const [hashing, hashes] = race([
      (call) => crypto.sha256d(preimages[call % SAMPLES]!),
      (call) => sighash(call, crypto)
    ], effort) as [Timing, Timing]
    return {
      name: LEGACY_TRANSACTION,
      provider: name,
      value: median(hashes) * INPUTS * 1_000,
      unit: "ms",
      ratio: ratio(hashes, hashing),
      to: "hashing"
    }
  })
}
