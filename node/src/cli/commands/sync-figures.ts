import { type JsonMembers, JsonNumber } from "../../json/json-value.ts"
import { duration, thousands } from "../progress.ts"
import { MEBIBYTE } from "../../units.ts"

/** The sync figures that the node reports. */
export interface ShownSyncFigures {
  readonly stage: string
  readonly error: string | undefined
  /** Percentage of the whole sync. */
  readonly percent: number
  readonly blocks: number
  readonly headers: number
  /** The height that headers should reach. */
  readonly target: number
  readonly isCatchingUp: boolean
  readonly blocksPerSecond: number
  readonly inputsPerSecond: number
  readonly remaining: number | undefined
  readonly peers: number
  readonly presynced: number | undefined
  readonly cacheBytes: number
}

/** Reads the members of a `getsyncstatus` result. */
export const shownSyncFigures = (answer: JsonMembers): ShownSyncFigures => {
  const maybe = (key: string): number | undefined => {
    const value = answer.get(key)
    return value instanceof JsonNumber ? Number(value.text) : undefined
  }
  const number = (key: string): number => maybe(key) ?? 0
  const text = (key: string): string | undefined => {
    const value = answer.get(key)
    return typeof value === "string" ? value : undefined
  }
  return {
    stage: text("stage") ?? "",
    error: text("error"),
    percent: number("progress_percent"),
    blocks: number("blocks"),
    headers: number("headers"),
    target: number("target_height"),
    isCatchingUp: answer.get("initialblockdownload") === true,
    blocksPerSecond: number("blocks_per_second"),
    inputsPerSecond: number("inputs_per_second"),
    remaining: maybe("eta_seconds"),
    peers: number("peers"),
    presynced: maybe("presynced_headers"),
    cacheBytes: number("cache_bytes")
  }
}

/**
 * Reports whether the node has everything that any peer has. `isAlone` is true for a private network, whose chain may
 * be old without further blocks.
 */
export const isCaughtUp = ({ blocks, headers, isCatchingUp, stage }: ShownSyncFigures, isAlone: boolean): boolean =>
  stage === "Synced" && blocks >= headers && (!isCatchingUp || isAlone)

/** Reports whether the node has no peer and no further blocks to expect: it is as far as it can be. */
export const isWithoutPeers = ({ peers, stage }: ShownSyncFigures): boolean => stage === "Initial" && peers === 0

const share = (part: number, whole: number): string => `${whole === 0 ? 100 : Math.floor(part / whole * 100)} %`

const peersText = (count: number): string => `${count} ${count === 1 ? "peer" : "peers"}`

const partsOf = (figures: ShownSyncFigures): ReadonlyArray<string> => {
  const {
    blocks,
    blocksPerSecond,
    cacheBytes,
    error,
    headers,
    inputsPerSecond,
    peers,
    presynced,
    remaining,
    stage,
    target
  } = figures
  switch (stage) {
    case "Error":
      return [error ?? "it cannot go on"]
    case "Initial":
      return [
        `height ${thousands(blocks)}`,
        peers === 0 ? "waiting for a peer to connect" : `${peersText(peers)}, waiting for headers`
      ]
    case "Headers": {
      const inPresync = presynced === undefined ? [] : [`${thousands(presynced)} in presync`]
      return [
        `${thousands(headers)} of about ${thousands(target)} headers (${share(headers, target)})`,
        ...inPresync,
        peersText(peers)
      ]
    }
    default:
      return [
        `${thousands(blocks)} of ${thousands(headers)} blocks (${share(blocks, headers)})`,
        `${blocksPerSecond} blocks/s`,
        `${thousands(inputsPerSecond)} inputs/s`,
        peersText(peers),
        `cache ${Math.round(cacheBytes / MEBIBYTE)} MiB`,
        ...(remaining === undefined || stage === "Synced" ? [] : [`${duration(remaining)} left`])
      ]
  }
}

/** Describes the progress of the sync in one line. */
export const syncLine = (figures: ShownSyncFigures): string =>
  `${figures.stage} (${Math.floor(figures.percent)} %): ${partsOf(figures).join(", ")}`
