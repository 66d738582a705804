import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { acquireRelease, addFinalizer, onExit } from "../../../finalizers/finalizers.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { addressText, endpointText } from "../../../net/endpoint-text.ts"
import type { Milliseconds } from "../../../quantities.ts"
import { DialError, ListenError, noAnswer, type Transport } from "../transport.ts"
import type { NativeConfig, NativeConnection, NativeStream, QuicBinding } from "../../../quic/quic-binding.ts"
import { connectionDrain } from "../connection-drain.ts"
import { takeStream } from "./quic-connection.ts"
import { acceptPeers } from "./quic-inbound.ts"
import type { QuicKey } from "../../../quic/quic-key.ts"
import { PREAMBLE } from "./quic-preamble.ts"
import { quicSettings } from "../../../quic/quic-settings.ts"
import { remoteOf } from "../../../quic/quic-remote.ts"

export interface QuicOptions {
  readonly binding: QuicBinding
  readonly key: QuicKey
  /** Milliseconds for a connection to be established. */
  readonly connectTimeout: Milliseconds
  /** Milliseconds of silence after which a connection ends; 10 s by default. */
  readonly idleTimeout?: Milliseconds
}

/** Bytes that a peer may send on its one stream before they are read. */
const WINDOW = 2_000_000

const IDLE = 10_000

const textOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

const failed = (message: string): DialError => new DialError({ message, isProxy: false })

/** Runs a call of the binding. A connection that is established after an interruption is closed. */
const opened = (open: () => Promise<NativeConnection>): Effect.Effect<NativeConnection, DialError> =>
  Effect.tryPromise({
    try: async (signal) => {
      const native = await open()
      if (signal.aborted) native.abort()
      return native
    },
    catch: (cause) => failed(textOf(cause))
  })

const familyOf = ({ network }: NetworkAddress): 0 | 1 | undefined => {
  if (network === AddressNetwork.IPV4) return 0
  return network === AddressNetwork.IPV6 || network === AddressNetwork.CJDNS ? 1 : undefined
}

/** Opens the one stream of a connection. The preamble makes it visible to the other side. */
const openStream = async (native: NativeConnection): Promise<NativeStream> => {
  const stream = await native.outboundStream()
  await stream.write(PREAMBLE)
  return stream
}

/** Opens the stream of a new connection whose peer has the wanted identity. Otherwise closes the connection. */
const streamTo = (native: NativeConnection, wanted: string | undefined): Effect.Effect<NativeStream, DialError> => {
  const found = remoteOf(native)?.quic?.identity
  if (wanted !== undefined && found !== wanted) {
    native.abort()
    return Effect.fail(failed(`another node answers there: its identity is ${found}, not ${wanted}`))
  }
  return onExit(
    Effect.tryPromise({ try: () => openStream(native), catch: (cause) => failed(textOf(cause)) }),
    (exit) => exit._tag === "Success" ? Effect.void : Effect.sync(() => native.abort())
  )
}

/** Makes sockets for dialing, one for each dialed address family. They end with the scope. */
const makeClients = ({ Client }: QuicBinding, config: NativeConfig) => {
  const clients = new Map<0 | 1, InstanceType<QuicBinding["Client"]>>()
  return Effect.as(
    addFinalizer(() =>
      Effect.sync(() => {
        for (const client of clients.values()) client.abort()
      })
    ),
    (family: 0 | 1) => {
      const client = clients.get(family) ?? new Client(config, family)
      clients.set(family, client)
      return client
    }
  )
}

const LISTEN_REASONS: ReadonlyArray<readonly [sign: RegExp, remedy: string]> = [
  [/os error 98|address already in use/i, "another program listens there: stop it, or choose another address"],
  [/os error 99|cannot assign/i, "this machine has no such address: choose another one"],
  [/os error 13|permission denied/i, "this user may not listen there: choose a port above 1023"]
]

const listenError = (bind: Endpoint, cause: unknown): ListenError => {
  const text = textOf(cause)
  const remedy = LISTEN_REASONS.find(([sign]) => sign.test(text))?.[1]
  const message = `cannot listen for other nodes on ${endpointText(bind)}: ${
    remedy === undefined ? text : `${remedy} with [connections].quic_listen_addr`
  }`
  return new ListenError({ message })
}

/**
 * Makes the transport over QUIC, with one stream for each connection. Both sides prove their identity by a certificate,
 * and an identity in the address must match. Sockets for dialing end with the scope.
 */
export const quicTransport = Effect.fnUntraced(function*(
  options: QuicOptions
): Effect.fn.Return<Transport, never, Scope.Scope> {
  const { binding, connectTimeout, key } = options
  const config = new binding.QuinnConfig(quicSettings({
    key,
    handshakeMs: connectTimeout,
    idleMs: options.idleTimeout ?? IDLE,
    streams: 1,
    window: WINDOW
  }))
  const clientFor = yield* makeClients(binding, config)
  return {
    name: "quic",
    dial: (target, accept) => {
      const family = familyOf(target.address)
      if (target.name !== undefined || family === undefined) {
        return Effect.fail(failed(`${endpointText(target)} has no address of IPv4 or IPv6`))
      }
      return opened(async () => clientFor(family).outboundConnection(addressText(target.address), target.port)).pipe(
        Effect.flatMap((native) =>
          Effect.map(streamTo(native, target.quic?.identity), (stream) => ({ native, stream }))
        ),
        Effect.timeoutOrElse({
          duration: connectTimeout,
          orElse: () => Effect.fail(noAnswer(connectTimeout))
        }),
        Effect.map(({ native, stream }) => {
          const quic = remoteOf(native)?.quic ?? { identity: undefined }
          return takeStream(native, stream, { remote: { ...target, quic }, local: undefined }, accept)
        })
      )
    },
    listen: Effect.fnUntraced(function*(bind, accept, how) {
      const drain = connectionDrain()
      const server = yield* acquireRelease(
        Effect.try({
          try: () => new binding.Server(config, addressText(bind.address), bind.port),
          catch: (cause) => listenError(bind, cause)
        }),
        (made) => drain.stop(() => made.abort())
      )
      const local: Endpoint = { address: bind.address, port: server.port(), quic: { identity: key.identity } }
      yield* acceptPeers({ server, local, accept, how, patience: connectTimeout, drain })
      return local
    })
  }
})
