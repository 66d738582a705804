import type { Server, Transport } from "@nats-io/nats-core/internal"
import { checkOptions, extractProtocolMessage, INFO } from "@nats-io/nats-core/internal"
import { EventEmitter, once } from "node:events"
import type { Duplex } from "node:stream"

/** Opens the connection that a transport uses. */
export interface NatsStreams {
  readonly connect: (address: string) => Promise<Duplex>
  /** Adds TLS to a connection, if this hook or the server demands it. */
  readonly secured: (stream: Duplex) => Promise<Duplex>
  readonly isSecured: boolean
}

type Options = Parameters<Transport["connect"]>[1]

const LONGEST_INFO = 64 * 1024

/** Reads the first message of a server: its text, and the bytes including it. */
const firstMessage = async (stream: Duplex): Promise<{ readonly info: string; readonly bytes: Buffer }> => {
  let bytes = Buffer.alloc(0)
  while (bytes.length < LONGEST_INFO) {
    const chunk = stream.read() as Buffer | null
    if (chunk === null) {
      if (stream.readableEnded || stream.destroyed) throw new Error("the NATS server ended the connection")
      await Promise.race([once(stream, "readable"), once(stream, "close")])
      continue
    }
    bytes = Buffer.concat([bytes, chunk])
    const info = INFO.exec(extractProtocolMessage(bytes))?.[1]
    if (info !== undefined) return { info, bytes }
  }
  throw new Error("the server speaks no NATS")
}

/** A transport of the NATS client over streams that the node holds. */
export const natsTransport = (streams: NatsStreams): Transport => {
  let stream: Duplex | undefined
  let first: Buffer | undefined
  let closeError: Error | undefined
  let isClosed = false
  let isEncrypted = false
  const over = new EventEmitter()
  const closed = once(over, "over").then(() => closeError)

  const end = (error?: Error): void => {
    if (isClosed) return
    isClosed = true
    closeError = error
    // A stream whose other side still sends, or that was not read to its end, would stay open.
    const ended = stream
    ended?.end(() => ended.destroy())
    over.emit("over")
  }

  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (first !== undefined) yield first
    try {
      for await (const chunk of stream!) yield chunk as Buffer
      end()
    } catch (error) {
      end(error as Error)
    }
  }

  return {
    lang: "lockstep",
    version: "0.1.0",
    get isClosed() {
      return isClosed
    },
    get closeError() {
      return closeError as Error
    },
    connect: async ({ hostname, port }: Server, options: Options) => {
      const host = hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname
      stream = await streams.connect(`${host}:${port}`)
      const { bytes, info } = await firstMessage(stream)
      const server = JSON.parse(info) as Parameters<typeof checkOptions>[0] & { readonly tls_required?: boolean }
      checkOptions(server, options)
      first = bytes
      if (streams.isSecured || server.tls_required === true) {
        stream = await streams.secured(stream)
        isEncrypted = true
      }
    },
    [Symbol.asyncIterator]: chunks,
    isEncrypted: () => isEncrypted,
    send: (frame) => void stream?.write(frame),
    close: async (error) => {
      end(error)
    },
    disconnect: () => end(),
    closed: () => closed,
    discard: () => void stream?.destroy()
  }
}
