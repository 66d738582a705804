import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Milliseconds } from "../../quantities.ts"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import { endpointText } from "../../net/endpoint-text.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { socketErrorText } from "../transport/tcp/socket-connection.ts"
import { connectSocket } from "../transport/tcp/tcp-transport.ts"
import { type ControlReply, replyDecoder } from "./control-reply.ts"
import { TorError, torError } from "./tor-error.ts"

/** A connection to Tor's control port. */
export interface ControlClient {
  /** Sends a line and waits for its reply. Replies come in the order of the commands. */
  readonly ask: (command: string) => Effect.Effect<ControlReply, TorError>
  /** Fails when the connection ends. */
  readonly ended: Effect.Effect<never, TorError>
}

/** Milliseconds for an answer. Tor answers at once; anything slower is not Tor. */
const ANSWER_TIMEOUT_MS = 60_000

type Settle = (result: Effect.Effect<ControlReply, TorError>) => void

/** Connects to Tor's control port until the scope ends. */
export const controlClient = Effect.fn("tor.controlClient")(function*(
  at: Endpoint,
  connectTimeout: Milliseconds
): Effect.fn.Return<ControlClient, TorError, Scope.Scope> {
  const where = endpointText(at)
  const socket = yield* acquireRelease(
    connectSocket(at).pipe(
      Effect.mapError(({ message }) => message),
      Effect.timeoutOrElse({ duration: connectTimeout, orElse: () => Effect.fail("no answer") }),
      Effect.mapError((reason) =>
        new TorError({ message: `Tor's control port ${where} cannot be reached: ${reason}`, isUnreachable: true })
      )
    ),
    (opened) => Effect.sync(() => void opened.destroy())
  )
  const decoder = replyDecoder()
  const waiting: Array<Settle> = []
  const endings = new Set<(error: TorError) => void>()
  let ending: TorError | undefined

  const end = (reason: string): void => {
    if (ending !== undefined) return
    ending = torError(`the connection to Tor's control port ${where} has ended: ${reason}`)
    socket.destroy()
    for (const settle of waiting.splice(0)) settle(Effect.fail(ending))
    for (const ended of endings) ended(ending)
  }

  socket.removeAllListeners("error")
  socket.on("error", (error) => end(socketErrorText(error)))
  socket.on("close", () => end("Tor closed it"))
  socket.on("data", (bytes: Buffer) => {
    const { fault, replies } = decoder.feed(new Uint8Array(bytes))
    for (const reply of replies) waiting.shift()?.(Effect.succeed(reply))
    if (fault !== undefined) end(fault)
  })

  return {
    ask: (command) =>
      Effect.callback<ControlReply, TorError>((resume) => {
        if (ending !== undefined) return resume(Effect.fail(ending))
        waiting.push(resume)
        socket.write(`${command}\r\n`)
        return undefined
      }).pipe(Effect.timeoutOrElse({
        duration: ANSWER_TIMEOUT_MS,
        orElse: () => Effect.fail(torError(`Tor's control port ${where} does not answer`))
      })),
    ended: Effect.callback((resume) => {
      const settle = (error: TorError): void => resume(Effect.fail(error))
      if (ending !== undefined) return settle(ending)
      endings.add(settle)
      return Effect.sync(() => void endings.delete(settle))
    })
  }
})
