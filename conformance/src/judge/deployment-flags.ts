import { blockScriptFlags } from "@lockstep/kernel/internal/deployment/script-flags.ts"
import type { ScriptFlags } from "@lockstep/kernel/internal/script/flags.ts"
import { networkCalled } from "@lockstep/protocol/networks/table.ts"

/** The flags of the block with this hash, in wire order, at `height` of the network that goes by that name. */
export const flagsOfBlock = (network: string, height: number, hash: Uint8Array): ScriptFlags => {
  const known = networkCalled(network)
  if (known === undefined) throw new RangeError(`there is no network "${network}"`)
  return blockScriptFlags(hash, height, known.parameters)
}
