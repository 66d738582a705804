import * as Result from "effect/Result"
import type { Bytes } from "../quantities.ts"
import { instructionEnd } from "../script/instruction.ts"
import { Opcode } from "../script/opcode.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

export type EnvelopeIsPresent = Violation<"SPM-001", { readonly offset: number }>
export type TokenDocumentIsPresent = Violation<"SPM-002", null>

/** The name of the protocol as a JSON string, quotation marks included. */
const TOKEN_PROTOCOL = Uint8Array.from("\"brc-20\"", (character) => character.charCodeAt(0))

/**
 * A script has no branch that is never taken: OP_0 directly before OP_IF. The content after it is data.
 *
 * @spec SPM-001 #21ae1bde
 */
export const envelopeIsAbsent = (script: Bytes): Verdict<void, EnvelopeIsPresent> => {
  for (let pc = 0; pc < script.length; pc = instructionEnd(script, pc)) {
    if (script[pc] === Opcode.OP_0 && script[pc + 1] === Opcode.OP_IF) {
      return Result.fail(violation("SPM-001", { offset: pc }))
    }
  }
  return HOLDS
}

const startsAt = (bytes: Bytes, part: Bytes, at: number): boolean => part.every((byte, i) => bytes[at + i] === byte)

/**
 * A script does not name the token protocol that is kept in JSON documents.
 *
 * @spec SPM-002 #b6b950f8
 */
export const tokenDocumentIsAbsent = (script: Bytes): Verdict<void, TokenDocumentIsPresent> => {
  for (let at = script.indexOf(TOKEN_PROTOCOL[0]!); at >= 0; at = script.indexOf(TOKEN_PROTOCOL[0]!, at + 1)) {
    if (startsAt(script, TOKEN_PROTOCOL, at)) return Result.fail(violation("SPM-002", null))
  }
  return HOLDS
}
