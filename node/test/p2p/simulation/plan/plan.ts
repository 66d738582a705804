import type { RoleName } from "../peers/role-name.ts"

export interface PlannedPeer {
  readonly role: RoleName
  readonly listens: boolean
  /** Nodes that it connects to, by their number. */
  readonly dials: ReadonlyArray<number>
  /** Bytes a millisecond that it sends; none: any. */
  readonly rate?: number
  /** Whether it has no blocks at the start. */
  readonly isEmpty?: boolean
}

/** Something that happens at a time, to nodes or peers by their number. */
export type PlannedEvent =
  | { readonly what: "mine"; readonly peer: number; readonly loose: boolean }
  | { readonly what: "branch"; readonly peer: number; readonly depth: number; readonly more: number }
  | { readonly what: "generate"; readonly node: number }
  | { readonly what: "transaction"; readonly peer: number; readonly chained: number }
  | { readonly what: "partition"; readonly nodes: ReadonlyArray<number>; readonly peers: ReadonlyArray<number> }
  | { readonly what: "heal" }
  | { readonly what: "drop"; readonly node: number; readonly peer: number | undefined }
  | { readonly what: "offline"; readonly node: number; readonly seconds: number }
  | { readonly what: "low space"; readonly node: number; readonly seconds: number }
  | { readonly what: "crash"; readonly node: number; readonly seconds: number }
  | { readonly what: "stop"; readonly node: number; readonly seconds: number }

export interface Timed {
  /** Seconds from the start. */
  readonly at: number
  readonly event: PlannedEvent
}

/** All that a seed decides beforehand. */
export interface Plan {
  readonly seed: number
  readonly nodes: number
  /** Blocks of the chain that is there at the start. */
  readonly base: number
  /** Milliseconds that a message is on its way. */
  readonly delay: readonly [least: number, most: number]
  readonly slowness: number
  readonly fromOnePeer: boolean
  /** Connections of a node. */
  readonly connections: number
  /** Whether nodes keep statistics of their coins. */
  readonly hasIndex: boolean
  /** Seconds of trouble, after which everybody reaches everybody. */
  readonly seconds: number
  /** Honest peers come first. */
  readonly peers: ReadonlyArray<PlannedPeer>
  readonly honest: number
  readonly events: ReadonlyArray<Timed>
}

/** The plan in a few lines. */
export const planText = (
  { base, connections, delay, events, fromOnePeer, nodes, peers, seconds, seed, slowness }: Plan
): string => {
  const counts = new Map<string, number>()
  for (const { event: { what } } of events) counts.set(what, (counts.get(what) ?? 0) + 1)
  return [
    `seed ${seed}: ${nodes} nodes, ${base} blocks, ${seconds} s of trouble, delays ${
      delay.join(" to ")
    } ms, slowness ${slowness} ms, ` +
    `${connections} connections` +
    (fromOnePeer ? ", blocks from one peer" : ""),
    `  peers: ${
      peers.map(({ dials, listens, rate, role }, i) =>
        `${i} ${role}${listens ? " listens" : ""}${dials.length > 0 ? ` dials ${dials.join("+")}` : ""}${
          rate === undefined ? "" : ` ${rate} bytes/ms`
        }`
      ).join(", ")
    }`,
    `  events: ${[...counts].map(([what, count]) => `${count} ${what}`).join(", ")}`
  ].join("\n")
}
