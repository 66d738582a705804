import type { ConnectionListener } from "../transport.ts"
import type { VirtualClock } from "./virtual-clock.ts"

/** Speed of one direction of a connection. */
export interface VirtualLine {
  /** Returns the milliseconds for the next piece. */
  readonly delay: () => number
  /** Bytes per millisecond; `undefined` for no limit. */
  readonly rate: number | undefined
}

/** One direction of a connection: pieces arrive whole and in order, each after its delay. */
export interface VirtualPipe {
  readonly send: (bytes: Uint8Array) => void
  readonly unsent: () => number
  readonly pause: () => void
  readonly resume: () => void
  /** Drops everything in transit, without notifying either end. */
  readonly cut: () => void
  /** Holds pieces back, and delivers them after the release. */
  readonly hold: (held: boolean) => void
}

export const virtualPipe = (
  clock: VirtualClock,
  line: VirtualLine,
  receiver: () => ConnectionListener | undefined,
  sender: () => ConnectionListener | undefined
): VirtualPipe => {
  /** Pieces that have arrived and are not read. */
  const waiting: Array<Uint8Array> = []
  let unsent = 0
  let arrivesAt = 0
  const is = { paused: false, held: false, cut: false }

  const read = (): void => {
    while (!is.paused && !is.held && !is.cut && waiting.length > 0) {
      const bytes = waiting.shift()!
      unsent -= bytes.length
      receiver()?.received(bytes)
      if (unsent === 0 && !is.cut) sender()?.drained()
    }
  }
  return {
    send: (bytes) => {
      if (is.cut || bytes.length === 0) return
      unsent += bytes.length
      const travel = line.delay() + (line.rate === undefined ? 0 : bytes.length / line.rate)
      arrivesAt = line.rate === undefined
        ? Math.max(arrivesAt, clock.now() + travel)
        : Math.max(arrivesAt, clock.now()) + travel
      // Copied, as the sender may reuse its array.
      const copy = bytes.slice()
      clock.after(arrivesAt - clock.now(), () => {
        if (is.cut) return
        waiting.push(copy)
        read()
      })
    },
    unsent: () => unsent,
    pause: () => {
      is.paused = true
    },
    resume: () => {
      if (!is.paused) return
      is.paused = false
      clock.after(0, read)
    },
    cut: () => {
      is.cut = true
      unsent = 0
      waiting.length = 0
    },
    hold: (held) => {
      is.held = held
      if (!held) clock.after(0, read)
    }
  }
}
