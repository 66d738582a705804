import { blockHash, headerOf } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import { acceptHeader } from "../validation/accept-block.ts"
import type { AcceptedHeaders } from "../api/network-calls.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { notifyRefused } from "../notify/notify-refused.ts"
import { pushState } from "../chainstate/push-state.ts"

const HEADER_BYTES = 80

const take = (engine: ChainEngine, headers: Uint8Array): AcceptedHeaders => {
  const count = Math.floor(headers.length / HEADER_BYTES)
  for (let accepted = 0; accepted < count; accepted++) {
    const header = headerOf(headers.subarray(accepted * HEADER_BYTES, (accepted + 1) * HEADER_BYTES))
    const hash = blockHash(header, engine.crypto)
    const verdict = acceptHeader(engine, header, hash)
    if (Result.isFailure(verdict)) {
      notifyRefused(engine, hash, { what: "header", rejection: verdict.failure })
      return { accepted, rejection: verdict.failure }
    }
    // Imported blocks that wait for this one will be accepted.
    if (engine.isAwaited?.(hash) === true) engine.loadingBlocks = true
  }
  return { accepted: count, rejection: undefined }
}

/** Adds headers to the index in order, up to the first that is rejected, and notifies of the state. */
export const acceptNewHeaders = (engine: ChainEngine, headers: Uint8Array): AcceptedHeaders => {
  const { length } = engine.tree.nodes
  const answer = take(engine, headers)
  // While blocks wait for their commit, the state does not show them.
  const mayNotify = engine.initialBlockDownload || !engine.dirty
  if (engine.tree.nodes.length > length && mayNotify) pushState(engine)
  return answer
}
