import { once } from "node:events"
import { isIP } from "node:net"
import type { Duplex } from "node:stream"
import { connect } from "node:tls"

/** Establishes TLS over a stream and verifies the certificate of the host. */
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
  // Errors after the handshake are handled by the user of the stream.
  secured.on("error", () => undefined)
  await once(secured, "secureConnect", { signal })
  return secured
}
