import { existsSync } from "node:fs"
import { merkleRoot } from "@lockstep/kernel/internal/block/merkle.ts"
import type { Block } from "@lockstep/kernel/internal/model/block.ts"
import { blockHash, transactionId } from "@lockstep/kernel/internal/model/identity.ts"
import { blockWeight } from "@lockstep/kernel/internal/model/weight.ts"
import { transactionSigOpCost } from "@lockstep/kernel/internal/sigops/cost.ts"
import { bytesEqual, concatBytes } from "@lockstep/kernel/internal/bytes/equal.ts"
import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import type { Field } from "../formats/field.ts"
import { displayHexOf, hexOf } from "../formats/hex.ts"
import type { Bench } from "../judge/bench.ts"
import { flagsOfBlock } from "../judge/deployment-flags.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { transactionBytes } from "../judge/transaction-bytes.ts"
import type { VectorFile } from "../sources/source.ts"
import { besides, blockIn, blockNameOf, factsOf, placeOf, spentOutputsIn } from "./block-file.ts"
import type { Runner } from "./runner.ts"

/**
 * What holds for every block, whatever else is known about it: every decoded field goes back to its bytes, ids hash to
 * the root.
 */
export const judgeBlock = (block: Block, crypto: Crypto): Outcome => {
  let at = 80 + (block.transactions.length < 253 ? 1 : 3)
  for (const [i, tx] of block.transactions.entries()) {
    const given = block.bytes.subarray(at, at += tx.bytes.length)
    if (!bytesEqual(given, transactionBytes(tx))) {
      return { expected: `transaction ${i} re-serializes`, actual: "to other bytes" }
    }
  }
  const { root, mutated } = merkleRoot(concatBytes(block.transactions.map((tx) => transactionId(tx, crypto))), crypto)
  return same("bytes after the last transaction", 0, block.bytes.length - at) ??
    same("merkle root", hexOf(block.header.merkleRoot), hexOf(root)) ?? same("mutated", false, mutated)
}

const judgeFacts = (block: Block, facts: Field, { crypto }: Bench): Outcome => {
  const { header, transactions } = block
  const inputs = transactions.slice(1).reduce((sum, tx) => sum + tx.inputs.length, 0)
  return same("hash", facts.get("hash").text, displayHexOf(blockHash(header, crypto))) ??
    same("previous hash", facts.get("prev").text, displayHexOf(header.previous)) ??
    same("version", facts.get("version").integer, header.version) ??
    same("time", facts.get("time").integer, header.time) ??
    same("bits", facts.get("bits").text, header.bits.toString(16).padStart(8, "0")) ??
    same("transactions", facts.get("txs").integer, transactions.length) ??
    same("inputs", facts.get("inputs").integer, inputs) ??
    same("size", facts.get("size").integer, block.bytes.length) ??
    same("weight", facts.get("weight").integer, blockWeight(block)) ??
    same("some transaction has a witness", facts.get("segwit").boolean, transactions.some((tx) => tx.hasWitness))
}

/** The cost of all signature operations, where the source states it; that needs the spent outputs. */
const judgeSigOps = (file: VectorFile, block: Block, facts: Field, { crypto }: Bench): Outcome => {
  const expected = facts.find("context")?.find("sigopsCost")
  const spent = besides(file, ".spent.json.gz")
  if (expected === undefined || !existsSync(spent.absolute)) return undefined
  const outputs = spentOutputsIn(spent, block)
  const { network, height } = placeOf(file)
  const flags = flagsOfBlock(network, height, blockHash(block.header, crypto))
  const cost = block.transactions.reduce((sum, tx, i) => sum + transactionSigOpCost(tx, outputs[i]!, flags), 0)
  return same("signature operation cost", expected.integer, cost)
}

/** A raw block, with what `index.json` beside it says about it. */
export const blocks: Runner = function*(file) {
  yield {
    index: "0",
    name: blockNameOf(file),
    judge: (bench) => {
      const block = blockIn(file)
      const facts = factsOf(file)
      return judgeBlock(block, bench.crypto) ??
        (facts && (judgeFacts(block, facts, bench) ?? judgeSigOps(file, block, facts, bench)))
    }
  }
}
