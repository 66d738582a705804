import * as Effect from "effect/Effect"
import type { Socket } from "node:net"
import type { Milliseconds } from "../../../quantities.ts"
import { onExit } from "../../../finalizers/finalizers.ts"
import { endpointText } from "../../../net/endpoint-text.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { socketErrorText } from "../tcp/socket-connection.ts"
import { connectSocket } from "../tcp/tcp-transport.ts"
import { I2pError, routerError } from "./i2p-error.ts"
import { samLines } from "./sam-lines.ts"
import { parseReply, type SamReply } from "./sam-reply.ts"
import { shortSettingName } from "../../../front/setting-name.ts"

/** A router may have to build tunnels first; Bitcoin Core waits as long. */
const ANSWER_TIMEOUT_MS = 3 * 60_000

/** A connection to a router, whose first lines set its purpose. */
export interface SamSocket {
  readonly socket: Socket
  /** Sends a line and waits for the reply, which must begin with `topic`. */
  readonly ask: (line: string, topic: string) => Effect.Effect<SamReply, I2pError>
  /** Waits for a line without a timeout. */
  readonly line: Effect.Effect<string, I2pError>
  /** Stops reading lines. Returns the bytes behind them. */
  readonly detach: () => Uint8Array
  readonly close: () => void
}

const opened = (socket: Socket, where: string): SamSocket => {
  const lines = samLines()
  let wake: (() => void) | undefined
  let fault: string | undefined

  const end = (reason: string): void => {
    fault ??= reason
    socket.destroy()
    wake?.()
  }
  const onData = (bytes: Buffer): void => {
    if (lines.add(new Uint8Array(bytes))) wake?.()
    else end("it sends a line that is too long")
  }
  const onError = (error: NodeJS.ErrnoException): void => end(socketErrorText(error))
  const onClose = (): void => end("it closed the connection")
  socket.on("data", onData).on("error", onError).on("close", onClose)

  const line = Effect.callback<string, I2pError>((resume) => {
    const look = (): void => {
      const found = lines.next()
      if (found === undefined && fault === undefined) return
      wake = undefined
      socket.pause()
      resume(
        found === undefined
          ? Effect.fail(routerError(`the I2P router ${where} does not answer: ${fault}`))
          : Effect.succeed(found)
      )
    }
    wake = look
    socket.resume()
    look()
    return Effect.sync(() => {
      wake = undefined
    })
  })

  return {
    socket,
    line,
    ask: (text, topic) =>
      Effect.suspend(() => {
        socket.write(`${text}\n`)
        return line
      }).pipe(
        Effect.timeoutOrElse({
          duration: ANSWER_TIMEOUT_MS,
          orElse: () => Effect.fail(routerError(`the I2P router ${where} does not answer`))
        }),
        Effect.flatMap((answer) => {
          const reply = parseReply(answer)
          return reply?.topic === topic
            ? Effect.succeed(reply)
            : Effect.fail(routerError(
              `what answers at ${where} does not speak SAM 3.1: set ${
                shortSettingName("[connections].i2p_sam")
              } to an I2P router`
            ))
        })
      ),
    detach: () => {
      socket.off("data", onData).off("error", onError).off("close", onClose)
      return lines.rest()
    },
    close: () => void socket.destroy()
  }
}

/** Returns the reply if its result is `OK`, and fails otherwise. */
export const holdResult = (reply: SamReply, what: string): Effect.Effect<SamReply, I2pError> => {
  const result = reply.values.get("RESULT")
  if (result === "OK") return Effect.succeed(reply)
  const message = reply.values.get("MESSAGE")
  return Effect.fail(
    routerError(
      `the I2P router ${what}: ${(result ?? "no result").slice(0, 100)}${
        message === undefined ? "" : ` (${message.slice(0, 200)})`
      }`
    )
  )
}

/** Connects to a router and negotiates the protocol. The caller closes it. */
export const samSocket = Effect.fn("i2p.samSocket")(function*(
  at: Endpoint,
  connectTimeout: Milliseconds
): Effect.fn.Return<SamSocket, I2pError> {
  const where = endpointText(at)
  const socket = yield* connectSocket(at).pipe(
    Effect.mapError(({ message }) => message),
    Effect.timeoutOrElse({ duration: connectTimeout, orElse: () => Effect.fail("no answer") }),
    Effect.mapError((reason) =>
      new I2pError({
        message: `the I2P router ${where} cannot be reached: ${reason}`,
        isProxy: true,
        unreached: where
      })
    )
  )
  const sam = opened(socket, where)
  return yield* sam.ask("HELLO VERSION MIN=3.1 MAX=3.1", "HELLO REPLY").pipe(
    Effect.flatMap((reply) => holdResult(reply, "does not speak SAM 3.1")),
    Effect.as(sam),
    onExit((exit) => Effect.sync(() => exit._tag === "Failure" && sam.close()))
  )
})
