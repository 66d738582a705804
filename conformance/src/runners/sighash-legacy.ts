import { legacySighash } from "@lockstep/kernel/internal/sighash/legacy.ts"
import type { Field } from "../formats/field.ts"
import { displayHexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import { same } from "../judge/outcome.ts"
import { transactionOf } from "../judge/spending.ts"
import type { Case, Runner } from "./runner.ts"

const caseOf = (row: Field, index: number): Case => ({
  index: String(index),
  name: `input ${row.at(2).integer}, hash type ${row.at(3).integer}`,
  judge: ({ crypto }) => {
    const tx = transactionOf(row.at(0).bytes)
    const hash = legacySighash(tx, row.at(2).integer, row.at(1).bytes, row.at(3).integer, {}, crypto)
    return same("hash", row.at(4).text, displayHexOf(hash))
  }
})

/** Rows `[tx, scriptCode, input, hashType as int32, hash shown last byte first]`; row 0 names the columns. */
export const sighashLegacy: Runner = function*(file) {
  for (const [index, row] of readJson(file).items.entries()) {
    if (row.items.length > 1) yield caseOf(row, index)
  }
}
