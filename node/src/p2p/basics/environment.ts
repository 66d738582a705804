import type { Scheduler } from "../../engine/options/scheduler.ts"
import { type UnixMilliseconds, unixMilliseconds } from "../../quantities.ts"

/** Randomness, as the network layer uses it: a seeded one makes a simulation repeatable. */
export interface Random {
  /** A whole number from 0 up to, not including, `bound` (at most 2^48). */
  readonly below: (bound: number) => number
  /** Unpredictable random bytes. */
  readonly bytes: (count: number) => Uint8Array
  /** A waiting time of a Poisson process with this mean. */
  readonly exponential: (mean: number) => number
}

/** Clocks and randomness of the network layer. No part of it asks the machine for them. */
export interface Environment {
  /**
   * Milliseconds since 1970, for all that is due between nodes. On regtest an operator may stop it, or put it back.
   * Never the time a peer says.
   */
  readonly now: () => UnixMilliseconds
  /**
   * The machine's clock, where `now` is another one. It never stops. It limits what costs this machine, and times
   * dials.
   */
  readonly machine?: () => UnixMilliseconds
  /** Runs the periodic tasks of the network layer; absent: none can move them forward. */
  readonly scheduler?: Pick<Scheduler, "ahead" | "moveForward">
  readonly random: Random
}

/** The clock that goes on while an operator has the node's own stand still. */
export const machineClock = ({ machine, now }: Environment): () => UnixMilliseconds => machine ?? now

/** The clock of periodic tasks. */
export const schedulerClock = (environment: Environment): () => UnixMilliseconds => {
  const machine = machineClock(environment)
  const { scheduler } = environment
  return scheduler === undefined ? machine : () => unixMilliseconds(machine() + scheduler.ahead())
}
