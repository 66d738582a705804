import { bytesEqual } from "../bytes/equal.ts"
import type { Hash, Height } from "../quantities.ts"
import { ScriptFlag, type ScriptFlags } from "../script/flags.ts"
import type { ChainParameters } from "../parameters/chain-parameters.ts"

/**
 * The flags that the scripts of a block are judged under.
 *
 * P2SH, WITNESS and TAPROOT hold in every block since genesis except a few that break them. These are named by hash,
 * since no height can replace that. The others follow their heights.
 *
 * @spec DEP-001 #17bc838d
 */
export const blockScriptFlags = (hash: Hash, height: Height, parameters: ChainParameters): ScriptFlags => {
  const { heights, scriptFlagExceptions } = parameters
  const exception = scriptFlagExceptions.find((each) => bytesEqual(each.hash, hash))
  let flags = exception === undefined ? ScriptFlag.P2SH | ScriptFlag.WITNESS | ScriptFlag.TAPROOT : exception.flags
  if (height >= heights.bip66) flags |= ScriptFlag.DERSIG
  if (height >= heights.bip65) flags |= ScriptFlag.CHECKLOCKTIMEVERIFY
  if (height >= heights.csv) flags |= ScriptFlag.CHECKSEQUENCEVERIFY
  if (height >= heights.segwit) flags |= ScriptFlag.NULLDUMMY
  return flags
}
