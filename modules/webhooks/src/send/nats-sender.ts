import type { ModuleNetwork } from "@lockstep/sdk"
import {
  type ConnectionOptions,
  credsAuthenticator,
  headers,
  type NatsConnection,
  NatsConnectionImpl,
  setTransportFactory
} from "@nats-io/nats-core/internal"
import type { NatsHook } from "../hook.ts"
import { natsTransport } from "./nats-transport.ts"
import { securedStream } from "./secured-stream.ts"
import type { Delivery, Sender } from "./sender.ts"

const DEFAULT_PORT = 4222

const credentialsOf = ({ credentials, secret, user }: NatsHook): Partial<ConnectionOptions> => {
  if (credentials !== undefined) return { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) }
  if (user !== undefined) return { user, ...secret !== undefined && { pass: secret } }
  return secret === undefined ? {} : { token: secret }
}

/** A stream's response to an event that it was to store. */
interface Acknowledgement {
  readonly stream?: string
  readonly error?: { readonly description?: string }
}

const afterLimit = (ms: number): { readonly limit: Promise<never>; readonly clear: () => void } => {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), ms)
  })
  // The limit may expire while a connection is still being opened and nothing waits for it; that must not end the
  // module.
  limit.catch(() => undefined)
  return { limit, clear: () => clearTimeout(timer) }
}

/**
 * Publishes events over one connection, which is opened for the first of them and reopened after a failure. The server
 * has received an event once it has answered a ping after it, or once a stream has acknowledged it.
 */
export const natsSender = (hook: NatsHook, network: ModuleNetwork, timeoutMs: number): Sender => {
  const { hostname, port, protocol } = hook.url
  let connection: NatsConnection | undefined

  const open = async (): Promise<NatsConnection> => {
    // The client has one factory for all connections; this one is opened next.
    setTransportFactory({
      defaultPort: DEFAULT_PORT,
      factory: () =>
        natsTransport({
          connect: network.connect,
          secured: (stream) => securedStream(stream, hostname, hook.authorities, AbortSignal.timeout(timeoutMs)),
          isSecured: protocol === "tls:"
        })
    })
    return NatsConnectionImpl.connect({
      servers: `${hostname}:${port === "" ? DEFAULT_PORT : port}`,
      name: "lockstep",
      reconnect: false,
      ignoreClusterUpdates: true,
      noEcho: true,
      timeout: timeoutMs,
      ...credentialsOf(hook)
    })
  }

  const publish = async (nats: NatsConnection, { body, event, hook: name, number }: Delivery): Promise<void> => {
    const subject = `${hook.subject}.${event}`
    const named = headers()
    // A stream that knows this id does not store the event again.
    named.set("Nats-Msg-Id", `${name}-${number}`)
    const options = nats.info?.headers === true ? { headers: named } : {}
    if (hook.usesJetStream) {
      const answer = await nats.request(subject, body, { timeout: timeoutMs, ...options })
      const { error, stream } = answer.json<Acknowledgement>()
      if (stream === undefined) throw new Error(`no stream has stored it: ${error?.description ?? answer.string()}`)
      return
    }
    nats.publish(subject, body, options)
    await nats.flush()
  }

  const close = (): void => {
    // Published events are flushed; the next one opens another connection.
    void connection?.close().catch(() => undefined)
    connection = undefined
  }

  return {
    send: async (delivery) => {
      const { clear, limit } = afterLimit(timeoutMs)
      try {
        connection = connection?.isClosed() === false ? connection : await open()
        const broken = connection.closed().then((error) => {
          throw error ?? new Error("the NATS server ended the connection")
        })
        await Promise.race([publish(connection, delivery), broken, limit])
      } catch (error) {
        close()
        throw error
      } finally {
        clear()
      }
    },
    close
  }
}
