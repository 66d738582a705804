import { blockHash, transactionId } from "@lockstep/kernel/internal/model/identity.ts"
import type { Block } from "@lockstep/kernel/internal/model/block.ts"
import type { Transaction } from "@lockstep/kernel/internal/model/transaction.ts"
import { existsSync } from "node:fs"
import type { Field } from "../formats/field.ts"
import { displayHexOf, hexOf } from "../formats/hex.ts"
import { MalformedVector } from "../formats/malformed.ts"
import { readBytes, readJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { fileAt, type VectorFile } from "../sources/source.ts"
import { blockOf } from "./block-file.ts"
import { judgeBlock } from "./blocks.ts"
import type { Runner } from "./runner.ts"

/** Objects `{comment, transactions, data}`: how many transactions the block in `data` has. */
export const bitcoreBlocks: Runner = function*(file) {
  for (const [index, row] of readJson(file).items.entries()) {
    yield {
      index: String(index),
      name: row.get("comment").text,
      judge: ({ crypto }) => {
        const block = blockOf(row.get("data").bytes)
        return same("transactions", row.get("transactions").integer, block.transactions.length) ??
          judgeBlock(block, crypto)
      }
    }
  }
}

const judgeTransaction = (tx: Transaction, facts: Field, { crypto }: Bench): Outcome => {
  let outcome = same("txid", facts.get("hash").text, displayHexOf(transactionId(tx, crypto))) ??
    same("version", facts.get("version").integer, tx.version) ??
    same("lock time", facts.get("nLockTime").integer, tx.lockTime) ??
    same("inputs", facts.get("inputs").items.length, tx.inputs.length) ??
    same("outputs", facts.get("outputs").items.length, tx.outputs.length)
  for (const [i, input] of facts.get("inputs").items.entries()) {
    outcome ??= same(`input ${i} txid`, input.get("prevTxId").text, displayHexOf(tx.inputs[i]!.prevout.txid)) ??
      same(`input ${i} index`, input.get("outputIndex").integer, tx.inputs[i]!.prevout.vout) ??
      same(`input ${i} sequence`, input.get("sequenceNumber").integer, tx.inputs[i]!.sequence) ??
      same(`input ${i} script`, input.get("script").text, hexOf(tx.inputs[i]!.script))
  }
  for (const [i, output] of facts.get("outputs").items.entries()) {
    outcome ??= same(`output ${i} value`, output.get("satoshis").bigint, tx.outputs[i]!.value) ??
      same(`output ${i} script`, output.get("script").text, hexOf(tx.outputs[i]!.script))
  }
  return outcome
}

/** The first block of a block file: network magic, length, block. */
const firstBlock = (file: VectorFile): Block => {
  const bytes = readBytes(file)
  const length = new DataView(bytes.buffer).getUint32(4, true)
  return blockOf(bytes.subarray(8, 8 + length))
}

/** Fields of the block in the `.dat` file beside it: case 0 is the header, case n the n-th transaction. */
export const bitcoreBlockFields: Runner = function*(file) {
  const raw = fileAt(file.source, file.path.replace(/json$/, "dat"))
  if (!existsSync(raw.absolute)) throw new MalformedVector(file.display, "", `needs ${raw.display} beside it`)
  const block = firstBlock(raw)
  const facts = readJson(file)
  const header = facts.get("header")
  yield {
    index: "0",
    name: "header",
    judge: ({ crypto }) =>
      same("hash", header.get("hash").text, displayHexOf(blockHash(block.header, crypto))) ??
        same("version", header.get("version").integer, block.header.version) ??
        same("previous hash", header.get("prevHash").text, displayHexOf(block.header.previous)) ??
        same("merkle root", header.get("merkleRoot").text, displayHexOf(block.header.merkleRoot)) ??
        same("time", header.get("time").integer, block.header.time) ??
        same("bits", header.get("bits").integer, block.header.bits) ??
        same("nonce", header.get("nonce").integer, block.header.nonce) ??
        same("transactions", facts.get("transactions").items.length, block.transactions.length) ??
        judgeBlock(block, crypto)
  }
  for (const [i, row] of facts.get("transactions").items.entries()) {
    const tx = block.transactions[i]
    if (tx === undefined) return
    yield { index: String(i + 1), name: `transaction ${i}`, judge: (bench) => judgeTransaction(tx, row, bench) }
  }
}
