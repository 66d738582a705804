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

/** Facts that a module must present in its handshake, and those that the node answers with. */
export interface HandshakeTerms {
  readonly name: string
  readonly version: string
  /** Secret id of this process of the module. */
  readonly moduleId: string
  readonly nodeVersion: string
  /** Allows a first message other than the handshake, from a module that has this socket to itself. */
  readonly allowsMissing?: boolean
}

/** Compares two secrets in a time that does not depend on where they differ. */
const isSameSecret = (left: string, right: string): boolean => {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Returns the fault of a module's first message, or `undefined` if it is the expected handshake. */
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
 * Receives the first message of a module and sends nothing before. Refuses any message other than the handshake, with a
 * reason. If the handshake may be missing, returns that message, which is still to be handled.
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
