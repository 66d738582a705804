import type { Random } from "../crash/random.ts"

/** Kinds of system calls, each with its siblings: `pwrite` and `writev` are writes, `fdatasync` and `msync` syncs. */
export const CALLS = ["write", "fsync", "rename", "ftruncate", "unlink", "open"] as const

export type Call = (typeof CALLS)[number]

/** What goes wrong on the disk of a node. */
export interface Fault {
  readonly call: Call
  /** The n-th such call. */
  readonly at: number
  readonly error: "EIO" | "ENOSPC"
  /** A write writes a part of what it should. */
  readonly cut: boolean
  /** What fails from then on. */
  readonly after: ReadonlyArray<Call>
}

/** What a disk that is full does not do any more: files can still be removed. */
const WHEN_FULL: ReadonlyArray<Call> = ["write", "ftruncate", "open"]

/** How often each kind is tried, and how many such calls there are in a scenario, about. */
const WEIGHTS: ReadonlyArray<readonly [call: Call, most: number]> = [
  ["write", 30],
  ["write", 8],
  ["write", 3],
  ["fsync", 12],
  ["fsync", 4],
  ["rename", 2],
  ["ftruncate", 2],
  ["unlink", 3],
  ["open", 8]
]

export const randomFault = (random: Random): Fault => {
  const [call, most] = random.pick(WEIGHTS)
  const error = random.below(2) === 0 ? "EIO" : "ENOSPC"
  return {
    call,
    error,
    at: random.below(most) + 1,
    cut: call === "write" && random.below(4) === 0,
    after: random.below(2) === 0 ? [] : error === "EIO" ? CALLS : WHEN_FULL
  }
}

export const faultText = ({ after, at, call, cut, error }: Fault): string =>
  `${call} ${at}: ${cut ? "short, " : ""}${error}, ${after.length === 0 ? "once" : "from then on"}`

/** Words of the system that name the cause. A write that is cut short is an error of input and output to LMDB. */
export const causeOf = ({ cut, error }: Fault): RegExp =>
  cut ? /input\/output error|i\/o error|no space/i : error === "EIO" ? /input\/output error|i\/o error/i : /no space/i
