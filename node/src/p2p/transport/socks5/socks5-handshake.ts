import { concatBytes } from "@lockstep/kernel/bytes"
import { addressText } from "../../../net/endpoint-text.ts"
import type { Endpoint } from "../../../net/endpoint.ts"

const VERSION = 5
const AUTH_VERSION = 1
const Method = { NONE: 0, PASSWORD: 2 } as const
const AddressType = { IPV4: 1, NAME: 3, IPV6: 4 } as const
const CONNECT = 1

/** Name and password for a proxy. Tor isolates connections with different credentials on different circuits. */
export interface ProxyCredentials {
  readonly username: string
  readonly password: string
}

/** The next step: bytes for the proxy, or the end. `rest` are the node's bytes behind the proxy's reply. */
export type SocksStep =
  | { readonly _tag: "More" }
  | { readonly _tag: "Send"; readonly bytes: Uint8Array }
  | { readonly _tag: "Connected"; readonly rest: Uint8Array }
  | { readonly _tag: "Failed"; readonly reason: string }
  /** The proxy cannot reach the target, in its words. */
  | { readonly _tag: "Refused"; readonly answer: string }

const REASONS: Readonly<Record<number, string>> = {
  1: "general failure",
  2: "connection not allowed",
  3: "network unreachable",
  4: "host unreachable",
  5: "connection refused",
  6: "TTL expired",
  7: "protocol error",
  8: "address type not supported",
  0xf0: "onion service descriptor can not be found",
  0xf1: "onion service descriptor is invalid",
  0xf2: "onion service introduction failed",
  0xf3: "onion service rendezvous failed",
  0xf4: "onion service missing client authorization",
  0xf5: "onion service wrong client authorization",
  0xf6: "onion service invalid address",
  0xf7: "onion service introduction timed out"
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const sized = (text: string): Uint8Array => {
  const bytes = utf8(text).subarray(0, 255)
  return concatBytes([Uint8Array.of(bytes.length), bytes])
}

/** Encodes every target by its name or the text of its address, as Bitcoin Core does; the proxy then resolves it. */
const targetBytes = ({ address, name, port }: Endpoint): Uint8Array =>
  concatBytes([
    Uint8Array.of(AddressType.NAME),
    sized(name ?? addressText(address)),
    Uint8Array.of(port >> 8, port & 0xff)
  ])

/** Returns the length of the proxy's reply; `undefined` while it is unknown, -1 for an unknown address type. */
const replyLength = (bytes: Uint8Array): number | undefined => {
  if (bytes.length < 5) return undefined
  switch (bytes[3]) {
    case AddressType.IPV4:
      return 10
    case AddressType.IPV6:
      return 22
    case AddressType.NAME:
      // An unsigned byte, and the buffer grows with the bytes received; CVE-2017-18350 had neither.
      return 7 + bytes[4]!
    default:
      return -1
  }
}

const MORE: SocksStep = { _tag: "More" }

const failed = (reason: string): SocksStep => ({ _tag: "Failed", reason })

/** The client side of RFC 1928 and RFC 1929, as a state machine that is fed the proxy's bytes. */
export interface SocksHandshake {
  readonly first: Uint8Array
  readonly feed: (bytes: Uint8Array) => SocksStep
}

export const socksHandshake = (target: Endpoint, credentials: ProxyCredentials | undefined): SocksHandshake => {
  let held: Uint8Array = new Uint8Array(0)
  let state: "method" | "auth" | "reply" = "method"

  const request = (): SocksStep => {
    state = "reply"
    return { _tag: "Send", bytes: concatBytes([Uint8Array.of(VERSION, CONNECT, 0), targetBytes(target)]) }
  }
  const onMethod = (version: number, method: number): SocksStep => {
    if (version !== VERSION) return failed("what answers there is no SOCKS5 proxy")
    if (method === Method.NONE) return request()
    if (method !== Method.PASSWORD || credentials === undefined) {
      return failed("the proxy wants another way of logging in")
    }
    state = "auth"
    const { password, username } = credentials
    return { _tag: "Send", bytes: concatBytes([Uint8Array.of(AUTH_VERSION), sized(username), sized(password)]) }
  }
  const onReply = (): SocksStep => {
    if (held.length >= 1 && held[0] !== VERSION) return failed("the proxy does not keep to the protocol")
    if (held.length >= 2 && held[1] !== 0) return { _tag: "Refused", answer: REASONS[held[1]!] ?? `error ${held[1]}` }
    const length = replyLength(held)
    if (length === -1) return failed("the proxy does not keep to the protocol")
    return length === undefined || held.length < length ? MORE : { _tag: "Connected", rest: held.slice(length) }
  }
  const onPair = (first: number, second: number): SocksStep => {
    if (state === "method") return onMethod(first, second)
    return first === AUTH_VERSION && second === 0 ? request() : failed("the proxy refuses the credentials")
  }

  return {
    first: credentials === undefined
      ? Uint8Array.of(VERSION, 1, Method.NONE)
      : Uint8Array.of(VERSION, 2, Method.NONE, Method.PASSWORD),
    feed: (bytes) => {
      held = concatBytes([held, bytes])
      if (state === "reply") return onReply()
      if (held.length < 2) return MORE
      const step = onPair(held[0]!, held[1]!)
      // The proxy may not send more before the next request.
      if (step._tag !== "Failed" && held.length > 2) return failed("the proxy does not keep to the protocol")
      held = new Uint8Array(0)
      return step
    }
  }
}
