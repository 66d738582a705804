import fc, { type Arbitrary } from "fast-check"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { anyBlock } from "../../src/arbitraries/block.ts"
import { anySpend } from "../../src/arbitraries/doubtful-spend.ts"
import { publicKeyEncoding } from "../../src/arbitraries/key.ts"
import { anyScript } from "../../src/arbitraries/script.ts"
import { signatureWithHashType } from "../../src/arbitraries/signature.ts"
import { signedSpend } from "../../src/arbitraries/spend.ts"
import { anyTransaction, type SpendFrame } from "../../src/arbitraries/transaction.ts"
import { validScript } from "../../src/arbitraries/valid-script.ts"
import { serializeBlock } from "../../src/oracles/block.ts"
import { instructionsOf } from "../../src/oracles/instructions.ts"
import { closed, CONSENSUS_FLAG_NAMES, type NaiveSpend } from "../../src/oracles/spend.ts"
import { serializeTransaction } from "../../src/oracles/transaction.ts"
import type { Seeds } from "../target.ts"
import { madeMessages, recordedMessages } from "./messages.ts"
import { realChains } from "./real-chains.ts"
import { referenceVectors } from "./reference-vectors.ts"
import { ruleVectors } from "./rule-vectors.ts"

/** Always the same, so that what was generated does not depend on the seed of a run. */
const sample = <A>(arbitrary: Arbitrary<A>, numRuns: number): ReadonlyArray<A> =>
  fc.sample(arbitrary, { seed: 1, numRuns })

const judged = (frame: SpendFrame): NaiveSpend => ({ ...frame, flags: closed(CONSENSUS_FLAG_NAMES) })

/** Scripts that the inputs of `spends` run, and what they push that looks like a signature or a key. */
const partsOf = (spends: ReadonlyArray<NaiveSpend>): Pick<Seeds, "scripts" | "signatures" | "keys"> => {
  const scripts = spends.flatMap(({ tx, index, spent }) => [
    tx.inputs[index]!.script,
    spent[index]!.script,
    ...tx.inputs[index]!.witness.slice(-2)
  ])
  const items = spends.flatMap(({ tx, index }) => [
    ...tx.inputs[index]!.witness,
    ...instructionsOf(tx.inputs[index]!.script).instructions.map(({ data }) => data)
  ])
  return {
    scripts: scripts.filter((script) => script.length > 0 && script.length <= 10_100),
    signatures: items.filter((item) => (item[0] === 0x30 && item.length < 100) || item.length === 64),
    keys: items.filter((item) => item.length === 33 || item.length === 65)
  }
}

/** Every file of a directory, as it is. */
const filesIn = (directory: string): ReadonlyArray<Uint8Array> =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => Uint8Array.from(readFileSync(join(directory, entry.name))))

const OURS = fileURLToPath(new URL("../../../vectors/rules", import.meta.url))

/**
 * Everything inputs are made from: what the arbitraries yield, our own vectors, a vector root and a directory of files.
 */
export const gatherSeeds = (vectors: string | undefined, corpus: string | undefined): Seeds => {
  const ours = existsSync(OURS) ? ruleVectors(OURS) : { spends: [], scripts: [] }
  const given = vectors === undefined ? { spends: [], transactions: [], blocks: [] } : referenceVectors(vectors)
  const files = corpus === undefined ? [] : filesIn(corpus)
  const spends = [
    ...sample(signedSpend(), 120).map(judged),
    ...sample(anySpend, 300).map(judged),
    ...ours.spends,
    ...given.spends
  ]
  const usable = spends.filter(({ tx, index, spent }) => index < tx.inputs.length && spent.length === tx.inputs.length)
  const parts = partsOf(usable)
  const transactions = [...sample(anyTransaction, 100).map(serializeTransaction), ...given.transactions, ...files]
  const blocks = [...sample(anyBlock, 60).map(serializeBlock), ...given.blocks, ...files]
  return {
    spends: usable,
    transactions,
    blocks,
    scripts: [...sample(anyScript, 200), ...sample(validScript, 100), ...ours.scripts, ...parts.scripts, ...files],
    signatures: [...sample(signatureWithHashType, 100), ...parts.signatures, ...files],
    keys: [...sample(publicKeyEncoding, 60), ...parts.keys, ...files],
    chains: vectors === undefined ? [] : realChains(vectors),
    messages: [...madeMessages(transactions, blocks), ...(vectors === undefined ? [] : recordedMessages(vectors))]
  }
}
