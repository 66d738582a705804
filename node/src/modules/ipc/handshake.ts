import {
  ipcErrorText,
  type ModuleMessage,
  type ModuleMessageOf,
  moduleRefusal,
  moduleResponse
} from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { timingSafeEqual } from "node:crypto"
import { type ConnectionEnd, type ModuleConnection, protocolEnd } from "./connection.ts"

/** What a module must say of itself, and what the node says of itself. */
export interface HandshakeTerms {
  readonly name: string
  readonly version: string
  /** The id of this spawn, which nothing else knows. */
  readonly moduleId: string
  readonly nodeVersion: string
  /** A module that begins with another message is the one that this socket was made for. */
  readonly allowsMissing?: boolean
}

/** Equal, in a time that does not depend on where they differ. */
const isSameSecret = (left: string, right: string): boolean => {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** What is wrong with the first message of a module; nothing where it is the handshake that was expected. */
const handshakeFault = (
  message: ModuleMessageOf<"Request">["payload"],
  terms: HandshakeTerms
): string | undefined => {
  if (message._tag !== "Handshake") return `${message._tag} came before the handshake`
  if (!isSameSecret(message.module_id, terms.moduleId)) return "the handshake has not the id of this spawn"
  if (message.module_name !== terms.name) return `the handshake names the module ${message.module_name}`
  return message.version === terms.version ? undefined : `the handshake names the version ${message.version}`
}

/**
 * Takes the first message of a module. Nothing is answered before; another message than the handshake is refused with a reason. Where the
 * handshake may be missing, that message is the answer, and is still to be taken.
 */
export const shakeHands = Effect.fnUntraced(function*(
  connection: ModuleConnection,
  terms: HandshakeTerms
): Effect.fn.Return<ModuleMessage | undefined, ConnectionEnd> {
  const message = yield* connection.receive
  const isHandshake = message._tag === "Request" && message.payload._tag === "Handshake"
  if (terms.allowsMissing === true && !isHandshake) {
    connection.allowLargeMessages()
    return message
  }
  if (message._tag !== "Request") return yield* protocolEnd(`a ${message._tag} came before the handshake`)
  const fault = handshakeFault(message.payload, terms)
  if (fault !== undefined) {
    yield* connection.sendLast(
      moduleRefusal(message.correlation_id, ipcErrorText({ kind: "ProtocolError", text: fault }))
    )
    return yield* protocolEnd(fault)
  }
  connection.allowLargeMessages()
  yield* connection.send(
    moduleResponse(message.correlation_id, { _tag: "HandshakeAck", node_version: terms.nodeVersion })
  )
  return undefined
})
