import type { Scheduler } from "../../engine/options/scheduler.ts"
import { type UnixMilliseconds, unixMilliseconds } from "../../quantities.ts"

/** Randomness of the network layer. A seeded one makes a simulation repeatable. */
export interface Random {
  /** Returns an integer from 0 up to, not including, `bound` (at most 2^48). */
  readonly below: (bound: number) => number
  /** Unpredictable random bytes. */
  readonly bytes: (count: number) => Uint8Array
  /** Returns a waiting time of a Poisson process with this mean. */
  readonly exponential: (mean: number) => number
}

/** Clocks and randomness of the network layer. No part of it reads them from the machine directly. */
export interface Environment {
  /**
   * Milliseconds since 1970, for everything that is due between nodes. On regtest an operator may stop it or set it
   * back. It never depends on the times that peers report.
   */
  readonly now: () => UnixMilliseconds
  /** The machine's clock, if `now` is another one. It never stops. It limits costs to this machine and times dials. */
  readonly machine?: () => UnixMilliseconds
  /** Runs the periodic tasks of the network layer; absent if they cannot be moved forward. */
  readonly scheduler?: Pick<Scheduler, "ahead" | "moveForward">
  readonly random: Random
}

/** Returns the clock that continues while an operator stops the node's own. */
export const machineClock = ({ machine, now }: Environment): () => UnixMilliseconds => machine ?? now

/** Returns the clock of periodic tasks. */
export const schedulerClock = (environment: Environment): () => UnixMilliseconds => {
  const machine = machineClock(environment)
  const { scheduler } = environment
  return scheduler === undefined ? machine : () => unixMilliseconds(machine() + scheduler.ahead())
}
