import type { Bytes } from "../quantities.ts"
import { ScriptFlag, type ScriptFlags } from "../script/flags.ts"
import { isPayToScriptHash } from "../interpreter/pay-to-script-hash.ts"
import { type WitnessProgram, witnessProgram } from "../script/witness-program.ts"
import { lastPush } from "./pay-to-script-hash.ts"
import { scriptSigOps } from "./script.ts"

const programOf = (scriptSig: Uint8Array, scriptPubKey: Uint8Array): WitnessProgram | undefined => {
  if (!isPayToScriptHash(scriptPubKey)) return witnessProgram(scriptPubKey)
  const redeemScript = lastPush(scriptSig)
  return redeemScript === undefined ? undefined : witnessProgram(redeemScript)
}

/**
 * Signature operations of an input's witness: one for a public key hash; those of the last item, counted accurately,
 * for a script hash; 0 for any other program. Tapscript has its own budget instead.
 *
 * @spec SOP-003 #39c484a4
 */
export const witnessSigOps = (
  scriptSig: Bytes,
  scriptPubKey: Bytes,
  witness: ReadonlyArray<Bytes>,
  flags: ScriptFlags
): number => {
  const found = (flags & ScriptFlag.WITNESS) === 0 ? undefined : programOf(scriptSig, scriptPubKey)
  if (found === undefined || found.version !== 0) return 0
  if (found.program.length === 20) return 1
  const script = witness[witness.length - 1]
  return found.program.length === 32 && script !== undefined ? scriptSigOps(script, true) : 0
}
