import { bytesEqual } from "../bytes/equal.ts"
import type { Crypto } from "../crypto/crypto.ts"
import type { Bytes, Bytes32 } from "../quantities.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { Opcode } from "../script/opcode.ts"
import { ScriptError } from "../script/script-error.ts"

/**
 * A version 0 program has 20 bytes (public key hash) or 32 (script hash).
 *
 * @spec WIT-005 #46f26743
 */
export const versionZeroLength = (program: Bytes): Fault =>
  program.length === 20 || program.length === 32 ? NO_FAULT : fault("WIT-005", ScriptError.WITNESS_PROGRAM_WRONG_LENGTH)

/**
 * The witness of a public key hash has exactly two items, signature and key. Whether the key hashes to the program is
 * decided by running {@link publicKeyHashScript}.
 *
 * @spec WIT-006 #182fa3c6
 */
export const payToWitnessPublicKeyHash = (witness: ReadonlyArray<Bytes>): Fault =>
  witness.length === 2 ? NO_FAULT : fault("WIT-006", ScriptError.WITNESS_PROGRAM_MISMATCH)

/** DUP HASH160 ‹program› EQUALVERIFY CHECKSIG, in the 25 bytes of `script`. Precondition: 20 bytes. @internal */
export const publicKeyHashScript = (program: Uint8Array, script: Uint8Array): Uint8Array => {
  script[0] = Opcode.OP_DUP
  script[1] = Opcode.OP_HASH160
  script[2] = 20
  script.set(program, 3)
  script[23] = Opcode.OP_EQUALVERIFY
  script[24] = Opcode.OP_CHECKSIG
  return script
}

/**
 * The witness of a script hash is not empty, and its last item hashes to the program.
 *
 * @spec WIT-007 #8b642c94
 */
export const payToWitnessScriptHash = (program: Bytes32, witness: ReadonlyArray<Bytes>, crypto: Crypto): Fault => {
  if (witness.length === 0) return fault("WIT-007", ScriptError.WITNESS_PROGRAM_WITNESS_EMPTY)
  return bytesEqual(crypto.sha256(witness[witness.length - 1]!), program)
    ? NO_FAULT
    : fault("WIT-007", ScriptError.WITNESS_PROGRAM_MISMATCH)
}
