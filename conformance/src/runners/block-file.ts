import { existsSync } from "node:fs"
import { decodeBlock, type Block } from "@lockstep/kernel/internal/model/block.ts"
import type { TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import * as Result from "effect/Result"
import type { Field } from "../formats/field.ts"
import { MalformedVector } from "../formats/malformed.ts"
import { readBytes, readJson } from "../formats/read-file.ts"
import { Refused } from "../judge/outcome.ts"
import { fileAt, type VectorFile } from "../sources/source.ts"
import { pairedOutputOf } from "./output.ts"

/** The block in `bytes`, which a vector says is one. */
export const blockOf = (bytes: Uint8Array): Block => {
  const verdict = decodeBlock(bytes)
  if (Result.isFailure(verdict)) throw new Refused("the block", verdict.failure.rule)
  return verdict.success
}

/**
 * Name of the block a file belongs to: `blocks/mainnet-170.spent.json.gz` and `blocks/mainnet-170.blk` to
 * `mainnet-170`.
 */
export const blockNameOf = (file: VectorFile): string =>
  file.path.replace(/^.*\//, "").replace(/\.(blk|spent\.json\.gz)$/, "")

/** What `index.json` says about the block of `file`, if there is one that does. */
export const factsOf = (file: VectorFile): Field | undefined => {
  const index = fileAt(file.source, file.path.replace(/[^/]*$/, "index.json"))
  if (!existsSync(index.absolute)) return undefined
  const name = blockNameOf(file)
  return readJson(index).items.find((record) => record.get("name").text === name)
}

/** Network and height of the block of `file`, from its name. */
export const placeOf = (file: VectorFile): { readonly network: string; readonly height: number } => {
  const [, network, height] = /^(.+)-([0-9]+)$/.exec(blockNameOf(file)) ?? []
  if (network === undefined) {
    throw new MalformedVector(file.display, "", "the name of a block file is <network>-<height>")
  }
  return { network, height: Number(height) }
}

/** The file beside `file` with another ending. */
export const besides = (file: VectorFile, ending: string): VectorFile =>
  fileAt(file.source, file.path.replace(/[^/]*$/, `${blockNameOf(file)}${ending}`))

/** The outputs that a block spends, one per input of every transaction but the first, in order. */
export const spentOutputsIn = (spent: VectorFile, block: Block): ReadonlyArray<ReadonlyArray<TransactionOutput>> => {
  const rows = readJson(spent)
  const outputs = rows.items.map(pairedOutputOf)
  const inputs = block.transactions.slice(1).reduce((sum, tx) => sum + tx.inputs.length, 0)
  if (outputs.length !== inputs) rows.fail(`expected one entry for each of ${inputs} inputs, found ${outputs.length}`)
  let from = 0
  return block.transactions.map((tx, i) => i === 0 ? [] : outputs.slice(from, from += tx.inputs.length))
}

/** The raw block of `file`. */
export const blockIn = (file: VectorFile): Block => blockOf(readBytes(file))
