import { type Command, isCommand, type MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import type { ProtocolLimits } from "@lockstep/protocol/wire/limits.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { concerns, type Dispatched, type PeerPart } from "./peer-part.ts"
import type { Peer } from "./peer.ts"

/** Finds the handler of a message; `undefined` if no part handles it, or not yet. */
export type Dispatch = (peer: Peer, command: Command, payload: Uint8Array) => Dispatched | undefined

/** Commands handled before the handshake is complete. Others are ignored until then, as in Bitcoin Core. */
const BEFORE_READY: ReadonlySet<Command> = new Set<Command>([
  "version",
  "verack",
  "wtxidrelay",
  "sendaddrv2",
  "sendpackages",
  "sendtxrcncl",
  "feature",
  "sendheaders",
  "sendcmpct"
])

const hasSubscribers = (peer: Peer, command: Command): boolean =>
  peer.isReady || (BEFORE_READY.has(command) && (command === "version" || peer.hello !== undefined))

type Take = (peer: Peer, payload: Uint8Array) => Dispatched

const decoding = <C extends Command>(part: PeerPart, command: C, limits: ProtocolLimits): Take => {
  // The table has each command's own handler under its name, which a type cannot express for a command known only at
  // runtime.
  const handler = part.handlers[command] as (peer: Peer, message: MessageOf<C>) => Effect.Effect<void>
  return (peer, payload) => Result.map(decodeMessage(command, payload, limits), ({ message }) => handler(peer, message))
}

const commandsOf = ({ handlers, raw = {} }: PeerPart): ReadonlyArray<Command> =>
  [...Object.keys(handlers), ...Object.keys(raw)].filter(isCommand)

const takerOf = (part: PeerPart, command: Command, limits: ProtocolLimits): Take => {
  const take = part.raw?.[command] ?? decoding(part, command, limits)
  const guard = part.guards?.[command]
  if (guard === undefined) return take
  return (peer, payload) => {
    const instead = guard(peer, payload)
    return instead === undefined ? take(peer, payload) : Result.succeed(instead)
  }
}

/**
 * Collects the handlers of the parts of one kind of connection. Two parts for one command are a defect and throw at
 * once.
 */
const takersOf = (parts: ReadonlyArray<PeerPart>, limits: ProtocolLimits): ReadonlyMap<Command, Take> => {
  const takers = new Map<Command, Take>()
  const owners = new Map<Command, string>()
  for (const part of parts) {
    for (const command of commandsOf(part)) {
      const owner = owners.get(command)
      if (owner !== undefined) throw new Error(`both ${owner} and ${part.name} handle ${command}`)
      owners.set(command, part.name)
      takers.set(command, takerOf(part, command, limits))
    }
  }
  return takers
}

/** Makes the dispatch of messages to parts. Among the parts of a connection, each command belongs to one. */
export const dispatcher = (parts: ReadonlyArray<PeerPart>, limits: ProtocolLimits): Dispatch => {
  const usual = takersOf(parts.filter((part) => concerns(part, "inbound")), limits)
  const privately = takersOf(parts.filter((part) => concerns(part, "private-broadcast")), limits)
  return (peer, command, payload) => {
    const takers = peer.kind === "private-broadcast" ? privately : usual
    return hasSubscribers(peer, command) ? takers.get(command)?.(peer, payload) : undefined
  }
}
