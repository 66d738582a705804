import type { IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import type { NetworkTarget } from "@lockstep/protocol/module-manifest/index.ts"
import * as Effect from "effect/Effect"
import { lookup } from "node:dns/promises"
import { isIP, type Socket } from "node:net"
import { onExit } from "../../finalizers/finalizers.ts"
import type { Milliseconds } from "../../quantities.ts"
import { requestFailed } from "../api/api-call.ts"
import { connectedSocket } from "./socket-options.ts"

/** Time limit for an address to answer. */
const DIAL_MS: Milliseconds = 10_000

const addressesOf = ({ host }: NetworkTarget): Effect.Effect<ReadonlyArray<string>, IpcError> =>
  isIP(host) !== 0
    ? Effect.succeed([host])
    : Effect.tryPromise({
      try: async () => (await lookup(host, { all: true })).map(({ address }) => address),
      catch: () => requestFailed(`${host} has no address`)
    })

const dialed = (address: string, port: number): Effect.Effect<Socket, IpcError> =>
  Effect.suspend(() => {
    const socket = connectedSocket(address, port)
    return Effect.callback<Socket, IpcError>((resume) => {
      socket.once("connect", () => resume(Effect.succeed(socket)))
      socket.on("error", ({ message }) => resume(Effect.fail(requestFailed(message))))
    }).pipe(
      Effect.timeoutOrElse({
        duration: DIAL_MS,
        orElse: () => Effect.fail(requestFailed(`${address} does not answer`))
      }),
      onExit((exit) =>
        Effect.sync(() => {
          if (exit._tag === "Failure") socket.destroy()
        })
      )
    )
  })

/** Connects to the first address of a host that is allowed and accepts the connection. */
export const dial = Effect.fnUntraced(function*(
  target: NetworkTarget,
  addressFault: (address: string) => IpcError | undefined
): Effect.fn.Return<Socket, IpcError> {
  let fault: IpcError | undefined
  for (const address of yield* addressesOf(target)) {
    fault = addressFault(address)
    if (fault !== undefined) continue
    const result = yield* Effect.result(dialed(address, target.port))
    if (result._tag === "Success") return result.success
    fault = result.failure
  }
  return yield* Effect.fail(fault ?? requestFailed(`${target.host} has no address`))
})
