import { NodeError } from "../client/node-error.ts"

/** Wait before reconnecting; each further wait is twice as long. */
const FIRST_WAIT_MS = 100

/** Consecutive failed attempts to reconnect, after which the module ends. */
export const MOST_ATTEMPTS = 7

/** A connection that lasted this long resets the count of attempts. */
export const STEADY_MS = 60_000

/** The clock of the waits. A wait ends early if its signal is aborted. */
export interface ReconnectClock {
  readonly now: () => number
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** A module over one connection. */
interface ConnectedModule {
  readonly stop: () => void
  /** Resolves with the reason when the connection has ended. */
  readonly over: Promise<string>
}

/** Error codes of a missing socket: the node no longer serves this process. */
const GONE = new Set(["ECONNREFUSED", "ENOENT"])

const isOfSocket = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && (error as NodeJS.ErrnoException).syscall === "connect"

const isGone = (error: unknown): boolean => isOfSocket(error) && GONE.has(error.code ?? "")

/** Reports whether another attempt may help: the connection itself failed, and the node did not refuse the module. */
const mayPass = (error: unknown): error is Error =>
  isOfSocket(error) || (error instanceof NodeError && error.kind === "ConnectionError")

/**
 * Runs a module over successive connections. A lost one is replaced, after waits that double. Resolves with the reason
 * once the node has closed the socket or `stopped` is aborted; rejects if all attempts fail.
 */
export const keepConnected = async (
  start: (isFirst: boolean) => Promise<ConnectedModule>,
  stopped: AbortSignal,
  clock: ReconnectClock
): Promise<string> => {
  let attempts = 0

  /** Makes the next connection. Returns `undefined` if the module is stopped or the socket no longer exists. */
  const again = async (reason: string): Promise<ConnectedModule | undefined> => {
    let last = reason
    while (attempts < MOST_ATTEMPTS) {
      await clock.wait(FIRST_WAIT_MS * 2 ** attempts++, stopped)
      if (stopped.aborted) return undefined
      try {
        return await start(false)
      } catch (error) {
        if (isGone(error)) return undefined
        if (!mayPass(error)) throw error
        last = error.message
      }
    }
    throw new NodeError("ConnectionError", `the connection was lost ${attempts} times in a row: ${last}`)
  }

  let running: ConnectedModule | undefined = await start(true)
  for (;;) {
    const since = clock.now()
    const end: () => void = running.stop
    stopped.addEventListener("abort", end)
    if (stopped.aborted) end()
    const reason = await running.over
    stopped.removeEventListener("abort", end)
    if (stopped.aborted) return reason
    if (clock.now() - since >= STEADY_MS) attempts = 0
    running = await again(reason)
    if (running === undefined) return reason
  }
}
