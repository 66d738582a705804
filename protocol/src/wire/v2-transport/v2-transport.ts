import type { PeerTransport, TransportKind } from "../peer-transport.ts"
import { add, available } from "./packet-input.ts"
import { sendPacket } from "./send-packet.ts"
import { readNext } from "./v2-reading.ts"
import { open, type Phase, releaseState, v2State, type V2TransportOptions } from "./v2-state.ts"

const kindOf = (phase: Phase): TransportKind => phase === "v1" ? "v1" : phase === "messages" ? "v2" : "detecting"

/**
 * Opens the encrypted transport (v2). It falls back to v1 for an inbound peer that begins with v1. Memory held before a
 * peer is authenticated is bounded, whatever the peer sends.
 */
export const v2Transport = (options: V2TransportOptions): PeerTransport => {
  const state = v2State(options)
  return {
    kind: () => kindOf(state.phase),
    sessionId: () => state.phase === "messages" ? state.keys?.sessionId : undefined,
    begin: () => {
      if (options.isInitiator) open(state)
    },
    feed: (bytes) => {
      if (state.v1 === undefined) add(state.input, bytes)
      else state.v1.feed(bytes)
    },
    read: () => readNext(state),
    held: () => {
      const { garbage, input, messages, v1 } = state
      return available(input) + (garbage?.bytes.length ?? 0) + messages.held() + (v1?.held() ?? 0)
    },
    abandon: () => releaseState(state),
    send: (command, payload, isOwned) => {
      if (state.v1 !== undefined) state.v1.send(command, payload, isOwned)
      else if (state.keys === undefined) state.waiting.push([command, payload])
      else sendPacket(state.keys.sending, command, payload, options.output)
    }
  }
}
