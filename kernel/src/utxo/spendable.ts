import { MAX_SCRIPT_SIZE } from "../constants.ts"
import type { Bytes } from "../quantities.ts"
import { Opcode } from "../script/opcode.ts"

/**
 * Reports whether an output with this script can never be spent, so that it never enters the UTXO set. Such a script
 * starts with OP_RETURN, or is longer than any script that is evaluated. Exactly the longest stays in.
 *
 * @spec UTX-001 #08ab37de
 */
export const isUnspendable = (script: Bytes): boolean =>
  script[0] === Opcode.OP_RETURN || script.length > MAX_SCRIPT_SIZE
