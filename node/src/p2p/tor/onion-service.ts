import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import * as Effect from "effect/Effect"
import { endpointText, parseEndpoint } from "../../net/endpoint-text.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { isUnspecified } from "../../net/address-place.ts"
import { parseOnion } from "../../net/onion.ts"
import type { ControlClient } from "./control-client.ts"
import type { ControlReply } from "./control-reply.ts"
import { valuesOf } from "./control-text.ts"
import { readOnionKey, writeOnionKey } from "./onion-key.ts"
import { type TorError, torError } from "./tor-error.ts"

const OK = 250
/** Code of a reply to a known command with unknown arguments. */
const BAD_ARGUMENT = 512

const SOCKS_LINE = "net/listeners/socks="
const SOCKS_PORT = 9_050

/** Tor's default, if it reports none. */
const USUAL_PROXY: Endpoint = {
  address: { network: AddressNetwork.IPV4, bytes: Uint8Array.of(127, 0, 0, 1) },
  port: SOCKS_PORT
}

const isOnLoopback = ({ address }: Endpoint): boolean =>
  address.network === AddressNetwork.IPV4 && address.bytes[0] === 127

const proxiesIn = (line: string): ReadonlyArray<Endpoint> =>
  line.slice(SOCKS_LINE.length).split(" ").flatMap((word) => parseEndpoint(word.replace(/^"(.*)"$/, "$1"), 0) ?? [])

/** Returns the SOCKS5 proxy that Tor offers, preferably one on this machine. Unix sockets are skipped. */
export const socksProxy = Effect.fn("tor.socksProxy")(function*(
  { ask }: ControlClient
): Effect.fn.Return<Endpoint, TorError> {
  const { code, lines } = yield* ask("GETINFO net/listeners/socks")
  if (code !== OK) return USUAL_PROXY
  const found = lines.filter((line) => line.startsWith(SOCKS_LINE)).flatMap(proxiesIn).filter(({ port }) => port > 0)
  return found.find(isOnLoopback) ?? found[0] ?? USUAL_PROXY
})

/** Inputs of an onion service. */
export interface OnionServiceOptions {
  /** Path of its private key. */
  readonly keyFile: string
  /** The endpoint it forwards to. */
  readonly target: Endpoint
  /** The port that other nodes connect to. */
  readonly port: number
  /** Reports a fault that does not end the service. */
  readonly warn: (message: string) => void
}

/** Replaces a wildcard address by the loopback address, which can be connected to. */
const connectable = (target: Endpoint): Endpoint => {
  if (!isUnspecified(target.address)) return target
  return { ...parseEndpoint(target.address.network === AddressNetwork.IPV4 ? "127.0.0.1" : "::1", target.port)! }
}

const refusal = ({ code, lines }: ControlReply): TorError =>
  torError(`Tor makes no onion service (reply ${code}: ${(lines[0] ?? "").slice(0, 200)})`)

/** Makes Tor create the onion service, which lasts as long as the connection. Returns its address. */
export const addOnionService = Effect.fn("tor.addOnionService")(function*(
  { ask }: ControlClient,
  { keyFile, port, target, warn }: OnionServiceOptions
): Effect.fn.Return<Endpoint, TorError> {
  const kept = yield* readOnionKey(keyFile)
  const key = kept ?? "NEW:ED25519-V3"
  const mapping = `Port=${port},${endpointText(connectable(target))}`
  // Tor before 0.4.9 does not know proofs of work in this command, and refuses all of it.
  const first = yield* ask(`ADD_ONION ${key} PoWDefensesEnabled=1 ${mapping}`)
  const reply = first.code === BAD_ARGUMENT ? yield* ask(`ADD_ONION ${key} ${mapping}`) : first
  if (reply.code !== OK) return yield* refusal(reply)
  const values = new Map(reply.lines.flatMap((line) => [...valuesOf(line)]))
  const service = parseOnion(`${values.get("ServiceID") ?? ""}.onion`)
  if (service === undefined) return yield* torError("Tor does not say what the address of the onion service is")
  const made = values.get("PrivateKey")
  if (kept === undefined && made !== undefined) {
    yield* Effect.catch(
      writeOnionKey(keyFile, made),
      ({ message }) => Effect.sync(() => warn(`${message}; the service has another address after the next start`))
    )
  }
  return { address: { network: AddressNetwork.TORV3, bytes: service }, port }
})
