import { instructionsOf, isPushOnly } from "./instructions.ts"
import type { NaiveSpend } from "./spend.ts"
import type { NaiveOutput, NaiveTransaction } from "./transaction.ts"
import { isPayToScriptHash } from "./verify-script.ts"
import { witnessProgram } from "./witness.ts"

/**
 * Signature operations up to the first cut push; with `accurate` a multisig behind OP_1 to OP_16 counts that many, else
 * 20.
 */
export const sigOps = (script: Uint8Array, accurate: boolean): number => {
  const { instructions } = instructionsOf(script)
  return instructions.reduce((total, { opcode }, i) => {
    if (opcode === 172 || opcode === 173) return total + 1
    if (opcode !== 174 && opcode !== 175) return total
    const before = instructions[i - 1]?.opcode ?? 255
    return total + (accurate && before >= 81 && before <= 96 ? before - 80 : 20)
  }, 0)
}

/**
 * What the last instruction of a script of pushes pushes: nothing for OP_1NEGATE, OP_RESERVED and the small integers.
 */
const lastPush = (script: Uint8Array): Uint8Array =>
  instructionsOf(script).instructions.at(-1)?.data ?? new Uint8Array(0)

export const payToScriptHashSigOps = (scriptSig: Uint8Array, scriptPubKey: Uint8Array): number =>
  isPayToScriptHash(scriptPubKey) && isPushOnly(scriptSig) ? sigOps(lastPush(scriptSig), true) : 0

const programSigOps = (version: number, program: Uint8Array, witness: ReadonlyArray<Uint8Array>): number => {
  if (version !== 0) return 0
  if (program.length === 20) return 1
  return program.length === 32 && witness.length > 0 ? sigOps(witness.at(-1)!, true) : 0
}

export const witnessSigOps = (
  scriptSig: Uint8Array,
  scriptPubKey: Uint8Array,
  witness: ReadonlyArray<Uint8Array>,
  flags: ReadonlySet<string>
): number => {
  if (!flags.has("WITNESS")) return 0
  const program = witnessProgram(scriptPubKey) ??
    (isPayToScriptHash(scriptPubKey) && isPushOnly(scriptSig) ? witnessProgram(lastPush(scriptSig)) : undefined)
  return program ? programSigOps(program.version, program.program, witness) : 0
}

export const legacySigOps = (tx: NaiveTransaction): number =>
  [...tx.inputs, ...tx.outputs].reduce((total, { script }) => total + sigOps(script, false), 0)

/** One input whose outpoint is null: 32 zero bytes and 0xffffffff. */
export const isCoinbase = (tx: NaiveTransaction): boolean =>
  tx.inputs.length === 1 && tx.inputs[0]!.vout === 0xffffffff && tx.inputs[0]!.txid.every((byte) => byte === 0)

export const sigOpCost = (
  tx: NaiveTransaction,
  spent: ReadonlyArray<NaiveOutput>,
  flags: NaiveSpend["flags"]
): number => {
  const legacy = 4 * legacySigOps(tx)
  if (isCoinbase(tx)) return legacy
  return tx.inputs.reduce((total, input, i) => {
    const scriptPubKey = spent[i]!.script
    const nested = flags.has("P2SH") ? 4 * payToScriptHashSigOps(input.script, scriptPubKey) : 0
    return total + nested + witnessSigOps(input.script, scriptPubKey, input.witness, flags)
  }, legacy)
}
