import { once } from "node:events"
import { isIP } from "node:net"
import type { Duplex } from "node:stream"
import { connect } from "node:tls"

/** TLS over a stream, once the certificate of the host is found good. */
export const securedStream = async (
  stream: Duplex,
  hostname: string,
  authorities: string | undefined,
  signal: AbortSignal
): Promise<Duplex> => {
  const host = hostname.replace(/^\[|\]$/g, "")
  const secured = connect({
    socket: stream,
    host,
    ...isIP(host) === 0 && { servername: host },
    ...authorities !== undefined && { ca: authorities }
  })
  // What happens after the handshake is the affair of who uses the stream.
  secured.on("error", () => undefined)
  await once(secured, "secureConnect", { signal })
  return secured
}
