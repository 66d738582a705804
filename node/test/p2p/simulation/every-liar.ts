import { BAD_ROLES, isGuilty } from "./peers/catalogue.ts"
import type { Plan } from "./plan/plan.ts"

/** Nothing goes wrong but what liars do, and every one of them is there, calls and is called. */
export const everyLiar: Plan = {
  seed: 1,
  nodes: 2,
  base: 160,
  delay: [1, 50],
  slowness: 1,
  fromOnePeer: false,
  connections: 40,
  hasIndex: false,
  seconds: 100,
  peers: [
    { role: "honest", listens: true, dials: [0, 1] },
    { role: "honest", listens: false, dials: [0, 1] },
    ...[...BAD_ROLES.filter(isGuilty), "noise" as const, "rude" as const].map((role) => ({
      role,
      listens: true,
      dials: [0, 1]
    }))
  ],
  honest: 2,
  events: [...Array(10).keys()].map((i) => ({ at: 10 * i, event: { what: "mine", peer: i % 2, loose: true } }))
}

/** What nodes have to notice of that. */
export const OFFENCES: ReadonlyArray<string> = [
  "a block without a parent",
  "a header from the past",
  "a header without work",
  "a mutated block",
  "an invalid block",
  "an invalid block that was not requested",
  "bytes that are no frame",
  "bytes that are no frame, first of all",
  "headers that do not hang together",
  "too long a request",
  "too long an inventory",
  "too many addresses",
  "too many headers"
]
