import { createHmac } from "node:crypto"
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { once } from "node:events"
import type { AddressInfo } from "node:net"

/** One request as it came. */
export interface ReceivedHook {
  readonly id: number
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  /** Whether the signature belongs to its time and body. */
  readonly isSigned: boolean
}

/** A server of HTTP that accepts events. */
export interface HookReceiver {
  readonly port: number
  /** Accepted ones, in their order, each id once. */
  readonly accepted: ReadonlyArray<ReceivedHook>
  /** How many requests were refused. */
  readonly refused: () => number
  /** The status that it answers from now on. */
  readonly answer: (status: number) => void
  readonly close: () => Promise<void>
}

/** Listens on 127.0.0.1, with TLS where there is a certificate. */
export const hookReceiver = async (
  secret: string,
  { port = 0, tls }: { readonly port?: number; readonly tls?: { readonly key: string; readonly cert: string } } = {}
): Promise<HookReceiver> => {
  const accepted: Array<ReceivedHook> = []
  let [status, refused] = [204, 0]

  const take = (request: IncomingMessage, body: Buffer): void => {
    const { data, event, id } = JSON.parse(body.toString())
    const time = request.headers["lockstep-timestamp"]
    const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex")
    const isSigned = request.headers["lockstep-signature"] === `v1=${expected}`
    // At least once: what was accepted before a crash may come again, with the same id.
    if (accepted.some((each) => each.id === id)) return
    accepted.push({ id, event, data, path: request.url!, headers: request.headers, isSigned })
  }
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
      if (status < 300) take(request, Buffer.concat(chunks))
      else refused++
      response.writeHead(status).end()
    })
  }
  const server = tls === undefined ? createHttpServer(serve) : createHttpsServer(tls, serve)
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    accepted,
    refused: () => refused,
    answer: (next) => void (status = next),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    }
  }
}
