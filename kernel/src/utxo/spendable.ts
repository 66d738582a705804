import { MAX_SCRIPT_SIZE } from "../constants.ts"

/** RETURN as the first opcode. */
const OP_RETURN = 0x6a

/**
 * Whether nobody can ever spend an output with this script, so that it never enters the UTXO set: it starts with OP_RETURN,
 * or is longer than any script that is evaluated. Exactly the longest stays in.
 *
 * @spec UTX-001 #08ab37de
 */
export const isUnspendable = (script: Uint8Array): boolean => script[0] === OP_RETURN || script.length > MAX_SCRIPT_SIZE
