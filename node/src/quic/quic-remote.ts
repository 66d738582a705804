import type { Endpoint } from "../net/endpoint.ts"
import { parseAddress } from "../net/endpoint-text.ts"
import type { NativeConnection } from "./quic-binding.ts"

/** Returns endpoint and proved identity of the other side of a connection, or `undefined`. */
export const remoteOf = (native: NativeConnection): Endpoint | undefined => {
  const [, , host = "", , port = "", , , identity] = native.remoteMultiaddr().split("/")
  const address = parseAddress(host)
  return address === undefined ? undefined : { address, port: Number(port), quic: { identity } }
}
