import { hashTypeIsDefined } from "@lockstep/kernel/internal/policy/signature.ts"
import { type Fault, NO_FAULT, ruleOf } from "@lockstep/kernel/internal/script/fault.ts"
import { ScriptFlag } from "@lockstep/kernel/internal/script/flags.ts"
import { signatureIsStrictDer } from "@lockstep/kernel/internal/signature/der.ts"
import type { Field } from "../formats/field.ts"
import { isHex } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import type { Runner } from "./runner.ts"

const faultOf = (signature: Uint8Array): Fault => {
  const encoding = signatureIsStrictDer(signature, ScriptFlag.DERSIG)
  return encoding === NO_FAULT ? hashTypeIsDefined(signature, ScriptFlag.STRICTENC) : encoding
}

const caseOf = (row: Field, index: number, name: string, holds: boolean) => ({
  index: String(index),
  name,
  judge: () => {
    const fault = faultOf(row.bytes)
    if ((fault === NO_FAULT) === holds) return undefined
    return {
      expected: holds ? "canonical" : "not canonical",
      actual: holds ? "not canonical" : "canonical",
      rule: fault ? ruleOf(fault) : undefined
    }
  }
})

/** What the next signature shows; the first entry of the file explains that. Only signatures that are wrong need it. */
const isComment = (row: Field, index: number): boolean => row.text.endsWith(":") || (index === 0 && !isHex(row.text))

/** Signatures with their hash type byte; among those that must fail stand comments. */
const runner = (holds: boolean): Runner =>
  function*(file) {
    let comment = ""
    for (const [index, row] of readJson(file).items.entries()) {
      if (!holds && isComment(row, index)) comment = row.text
      else yield caseOf(row, index, comment, holds)
    }
  }

/** Signatures that are strictly encoded and have a defined hash type. */
export const canonicalSignatures = runner(true)

/** Signatures that are not. */
export const noncanonicalSignatures = runner(false)
