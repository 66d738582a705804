import * as Effect from "effect/Effect"
import { onExit } from "../../../finalizers/finalizers.ts"
import type { Milliseconds } from "../../../quantities.ts"
import { addressText, endpointText } from "../../../net/endpoint-text.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import type { P2pNotifications } from "../../basics/p2p-notifications.ts"
import type { Random } from "../../basics/environment.ts"
import { addressOfDestination, base64Bytes, base64Text } from "./destination.ts"
import { I2pError, routerError } from "./i2p-error.ts"
import { readI2pKey, writeI2pKey } from "./i2p-key.ts"
import { holdResult, samSocket, type SamSocket } from "./sam-socket.ts"

/** The only port in SAM 3.1. */
export const I2P_PORT = 0

/** Inputs of sessions. */
export interface I2pRouter {
  readonly at: Endpoint
  readonly connectTimeout: Milliseconds
  readonly random: Pick<Random, "bytes">
  readonly trace?: P2pNotifications["trace"]
}

/** This node's session in I2P, which lasts as long as its connection to the router. */
export interface I2pSession {
  readonly own: Endpoint
  readonly isOpen: () => boolean
  /** Connects to a node. */
  readonly connect: (target: Endpoint) => Effect.Effect<I2pStream, I2pError>
  /**
   * Waits for a node to connect, and returns its address too. `listening` is called once the router knows that this
   * node waits.
   */
  readonly accept: (listening: () => void) => Effect.Effect<I2pStream & { readonly remote: Endpoint }, I2pError>
  readonly close: () => void
}

/** A connection through a router. */
export interface I2pStream {
  readonly sam: SamSocket
}

const OPTIONS = "i2cp.leaseSetEncType=4,0"

const ID_SIZE = 5

const closing = <A, E>(sam: SamSocket, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  onExit(effect, (exit) => Effect.sync(() => exit._tag === "Failure" && sam.close()))

/** Results that concern the requested node, not the router. */
const PEER_FAULTS: ReadonlyArray<string | undefined> = ["CANT_REACH_PEER", "TIMEOUT"]

const endpointOf = (bytes: Uint8Array | undefined): Endpoint | undefined => {
  const address = bytes === undefined ? undefined : addressOfDestination(bytes)
  return address === undefined ? undefined : { address, port: I2P_PORT }
}

const streamTo = (session: I2pSession, id: string, sam: SamSocket, target: Endpoint) =>
  Effect.gen(function*() {
    const name = addressText(target.address)
    const found = yield* sam.ask(`NAMING LOOKUP NAME=${name}`, "NAMING REPLY")
    const result = found.values.get("RESULT")
    const value = found.values.get("VALUE") ?? ""
    if (result !== "OK" || base64Bytes(value) === undefined) {
      return yield* routerError(`the I2P router does not find ${name}: ${(result ?? "no result").slice(0, 100)}`)
    }
    const reply = yield* sam.ask(`STREAM CONNECT ID=${id} DESTINATION=${value} SILENT=false`, "STREAM STATUS")
    const outcome = reply.values.get("RESULT")
    // The router has forgotten the session, so the next attempt makes a new one.
    if (outcome === "INVALID_ID") session.close()
    if (PEER_FAULTS.includes(outcome)) {
      return yield* new I2pError({ message: `the I2P router does not reach ${name}: ${outcome}`, isProxy: false })
    }
    yield* holdResult(reply, "opens no stream")
    return { sam }
  })

const accepted = (session: I2pSession, id: string, sam: SamSocket, listening: () => void) =>
  Effect.gen(function*() {
    const reply = yield* sam.ask(`STREAM ACCEPT ID=${id} SILENT=false`, "STREAM STATUS")
    if (reply.values.get("RESULT") === "INVALID_ID") session.close()
    yield* holdResult(reply, "accepts no streams")
    listening()
    const [destination = ""] = (yield* sam.line).split(" ")
    const remote = endpointOf(base64Bytes(destination))
    if (remote === undefined) return yield* routerError("the I2P router does not say who connects")
    return { sam, remote }
  })

/** Makes the session of a control connection to the router. */
const sessionOn = (router: I2pRouter, control: SamSocket, id: string, own: Endpoint): I2pSession => {
  let isOpen = true
  const close = (): void => {
    isOpen = false
    control.close()
  }
  control.socket.once("close", close)
  // The router sends nothing more on it; reading it detects its end.
  control.detach()
  control.socket.on("error", close)
  control.socket.resume()
  const onStream = <A>(run: (sam: SamSocket) => Effect.Effect<A, I2pError>): Effect.Effect<A, I2pError> =>
    Effect.flatMap(samSocket(router.at, router.connectTimeout), (sam) => closing(sam, run(sam)))
  const session: I2pSession = {
    own,
    isOpen: () => isOpen && !control.socket.destroyed,
    connect: (target) => onStream((sam) => streamTo(session, id, sam, target)),
    accept: (listening) => onStream((sam) => accepted(session, id, sam, listening)),
    close
  }
  return session
}

/** Returns the id of a new session. */
const newSession = (kind: "persistent" | "transient", { at, random, trace }: I2pRouter): string => {
  const id = Buffer.from(random.bytes(ID_SIZE)).toString("hex")
  trace?.({ _tag: "I2pSessionCreated", kind, id, router: endpointText(at) })
  return id
}

const invalidKey = routerError("the I2P router made a private key that is none")

/** Makes a session with an address of its own, which ends with it. */
export const transientSession = Effect.fn("i2p.transientSession")(function*(
  router: I2pRouter
): Effect.fn.Return<I2pSession, I2pError> {
  const id = newSession("transient", router)
  const control = yield* samSocket(router.at, router.connectTimeout)
  return yield* closing(
    control,
    Effect.gen(function*() {
      const reply = yield* control.ask(
        `SESSION CREATE STYLE=STREAM ID=${id} DESTINATION=TRANSIENT SIGNATURE_TYPE=7 ${OPTIONS} ` +
          "inbound.quantity=1 outbound.quantity=1",
        "SESSION STATUS"
      )
      yield* holdResult(reply, "makes no session")
      const own = endpointOf(base64Bytes(reply.values.get("DESTINATION") ?? ""))
      return own === undefined ? yield* invalidKey : sessionOn(router, control, id, own)
    })
  )
})

/** Returns the key of this node's address: the saved one, or a new one from the router, which is saved. */
const ownKey = Effect.fnUntraced(function*(
  control: SamSocket,
  keyFile: string
): Effect.fn.Return<Uint8Array, I2pError> {
  const kept = yield* readI2pKey(keyFile)
  if (kept !== undefined) return kept
  const reply = yield* control.ask("DEST GENERATE SIGNATURE_TYPE=7", "DEST REPLY")
  const made = base64Bytes(reply.values.get("PRIV") ?? "")
  if (made === undefined || addressOfDestination(made) === undefined) return yield* invalidKey
  yield* writeI2pKey(keyFile, made)
  return made
})

/** Makes a session with the address of this node, whose key is saved in a file. */
export const persistentSession = Effect.fn("i2p.persistentSession")(function*(
  router: I2pRouter,
  keyFile: string
): Effect.fn.Return<I2pSession, I2pError> {
  const id = newSession("persistent", router)
  const control = yield* samSocket(router.at, router.connectTimeout)
  return yield* closing(
    control,
    Effect.gen(function*() {
      const key = yield* ownKey(control, keyFile)
      const reply = yield* control.ask(
        `SESSION CREATE STYLE=STREAM ID=${id} DESTINATION=${base64Text(key)} ${OPTIONS} ` +
          "inbound.quantity=3 outbound.quantity=3",
        "SESSION STATUS"
      )
      yield* holdResult(reply, "makes no session")
      return sessionOn(router, control, id, endpointOf(key)!)
    })
  )
})
