import { headerOf } from "@lockstep/kernel/model"
import { proofOfWork } from "@lockstep/kernel/work"
import type { Command } from "@lockstep/protocol/wire/codecs.ts"
import { foreignHeaderIn } from "@lockstep/protocol/wire/foreign-header.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Guard, Guards } from "../../peer/peer-part.ts"
import type { SyncState } from "../sync-state.ts"

/**
 * True if the first 80 bytes of a header with bit 31 cannot belong to this chain: it is past BIP65, and they have no
 * proof of work. One with proof of work is validated like any other header, and rejected for its version.
 */
const cannotBeOurs = ({ context: { chain, crypto, network } }: SyncState, bytes: Uint8Array): boolean => {
  const { heights, work: { powLimit } } = network.parameters
  if (chain.tree.bestHeader.height < heights.bip65) return false
  return Result.isFailure(proofOfWork(crypto.sha256d(bytes), headerOf(bytes).bits, powLimit))
}

/**
 * Checks the headers in messages before they are decoded. The bytes behind a header of another format would be misread,
 * and an honest peer discouraged for that.
 */
export const foreignHeaderGuards = (sync: SyncState): Guards => {
  const guard = (command: Extract<Command, "headers" | "cmpctblock" | "block">): Guard => (peer, payload) => {
    const header = foreignHeaderIn(command, payload)
    if (header === undefined || !cannotBeOurs(sync, header)) return undefined
    return Effect.sync(() => sync.foreign.showedHeaders(peer))
  }
  return { headers: guard("headers"), cmpctblock: guard("cmpctblock"), block: guard("block") }
}
