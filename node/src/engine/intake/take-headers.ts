import { headerOf } from "@lockstep/kernel/model/header.ts"
import { blockHash } from "@lockstep/kernel/model/identity.ts"
import * as Result from "effect/Result"
import { acceptHeader } from "../accept.ts"
import type { AcceptedHeaders } from "../calls/network-calls.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { pushState } from "../push-state.ts"

const HEADER_BYTES = 80

const take = (engine: ChainEngine, headers: Uint8Array): AcceptedHeaders => {
  const count = Math.floor(headers.length / HEADER_BYTES)
  for (let accepted = 0; accepted < count; accepted++) {
    const header = headerOf(headers.subarray(accepted * HEADER_BYTES, (accepted + 1) * HEADER_BYTES))
    const hash = blockHash(header, engine.crypto)
    const verdict = acceptHeader(engine, header, hash)
    if (Result.isFailure(verdict)) return { accepted, rejection: verdict.failure }
    // Blocks of ours that waited for it will be taken up.
    if (engine.isAwaited?.(hash) === true) engine.takingIn = true
  }
  return { accepted: count, rejection: undefined }
}

/** Puts headers into the tree, in order, up to the first that is refused, and tells the state. */
export const takeHeaders = (engine: ChainEngine, headers: Uint8Array): AcceptedHeaders => {
  const { length } = engine.tree.nodes
  const answer = take(engine, headers)
  // While blocks wait for their commit the state does not tell of them.
  const mayTell = engine.initialBlockDownload || !engine.dirty
  if (engine.tree.nodes.length > length && mayTell) pushState(engine)
  return answer
}
