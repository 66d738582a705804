import type { Milliseconds } from "../../../quantities.ts"
import * as Effect from "effect/Effect"
import type { Socket } from "node:net"
import { onExit } from "../../../finalizers/finalizers.ts"
import type { Random } from "../../basics/environment.ts"
import { endpointText } from "../../../net/endpoint-text.ts"
import { socketErrorText, takeSocket } from "../tcp/socket-connection.ts"
import { connectSocket, DIAL_TIMEOUT_MS, type UnixSocket } from "../tcp/tcp-transport.ts"
import { DialError, ListenError, type Transport } from "../transport.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { type ProxyCredentials, socksHandshake } from "./socks5-handshake.ts"

/** An onion service takes time to answer; Core's SOCKS5_RECV_TIMEOUT. */
const ANSWER_TIMEOUT_MS = 20_000

export interface ProxyOptions {
  readonly proxy: Endpoint | UnixSocket
  /**
   * Randomness for separate credentials of each connection, so that Tor isolates it; `undefined` for no credentials.
   */
  readonly isolation: Random | undefined
  /** Milliseconds for connecting to the proxy; Bitcoin Core's default if absent. */
  readonly connectTimeout?: Milliseconds
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const ownCredentials = (random: Random): ProxyCredentials => ({
  username: hex(random.bytes(8)),
  password: hex(random.bytes(8))
})

const failed = (message: string, isProxy = false): DialError => new DialError({ message, isProxy })

const refused = (answer: string): DialError =>
  new DialError({ message: `the proxy says: ${answer}`, isProxy: false, fault: { _tag: "ProxyRefused", answer } })

const unreached = (proxy: string, why: string): DialError =>
  new DialError({
    message: `the proxy ${proxy} cannot be reached: ${why}`,
    isProxy: true,
    fault: { _tag: "ProxyUnreached", proxy, why }
  })

/** Requests the target from the proxy. Returns bytes that the target has sent already. */
const negotiate = (
  socket: Socket,
  target: Endpoint,
  credentials: ProxyCredentials | undefined
): Effect.Effect<Uint8Array, DialError> =>
  Effect.callback<Uint8Array, DialError>((resume) => {
    const handshake = socksHandshake(target, credentials)
    const settle = (result: Effect.Effect<Uint8Array, DialError>): void => {
      socket.off("data", onData).off("error", onError).off("end", onEnd)
      socket.pause()
      resume(result)
    }
    const onData = (bytes: Buffer): void => {
      const step = handshake.feed(new Uint8Array(bytes))
      if (step._tag === "Send") socket.write(step.bytes)
      else if (step._tag === "Connected") settle(Effect.succeed(step.rest))
      else if (step._tag === "Failed") settle(Effect.fail(failed(step.reason)))
      else if (step._tag === "Refused") settle(Effect.fail(refused(step.answer)))
    }
    const onError = (error: NodeJS.ErrnoException): void => settle(Effect.fail(failed(socketErrorText(error))))
    const onEnd = (): void => settle(Effect.fail(failed("the proxy closed the connection")))
    socket.on("data", onData).on("error", onError).on("end", onEnd)
    socket.write(handshake.first)
  }).pipe(
    Effect.timeoutOrElse({
      duration: ANSWER_TIMEOUT_MS,
      orElse: () => Effect.fail(failed(`the proxy reached no node within ${ANSWER_TIMEOUT_MS / 1_000} s`))
    }),
    onExit((exit) =>
      Effect.sync(() => {
        if (exit._tag === "Failure") socket.destroy()
      })
    )
  )

const placeText = (proxy: Endpoint | UnixSocket): string => "path" in proxy ? `unix:${proxy.path}` : endpointText(proxy)

/**
 * Makes the transport to nodes of the internet and onion services through a proxy. It accepts no inbound connections.
 */
export const socks5Transport = ({ connectTimeout = DIAL_TIMEOUT_MS, isolation, proxy }: ProxyOptions): Transport => ({
  name: "socks5",
  dial: Effect.fnUntraced(function*(target, accept) {
    const socket = yield* connectSocket(proxy).pipe(
      Effect.mapError(({ message }) => unreached(placeText(proxy), message)),
      Effect.timeoutOrElse({
        duration: connectTimeout,
        orElse: () => Effect.fail(failed(`the proxy ${placeText(proxy)} does not answer`, true))
      })
    )
    const early = yield* negotiate(socket, target, isolation === undefined ? undefined : ownCredentials(isolation))
    return takeSocket(socket, { remote: target, local: undefined }, accept, early)
  }),
  listen: () => Effect.fail(new ListenError({ message: "a node cannot listen through a proxy" }))
})
