import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync
} from "node:fs"
import type { Random } from "../crash/random.ts"

/** One way in which a file goes bad. */
export interface Damage {
  readonly name: string
  /** Answers what was done, with the place where it matters; none: this file cannot be damaged so. */
  readonly apply: (path: string, random: Random) => string | undefined
}

const overwrite = (path: string, offset: number, change: (bytes: Uint8Array) => void, size: number): void => {
  const descriptor = openSync(path, "r+")
  try {
    const bytes = new Uint8Array(size)
    const count = readSync(descriptor, bytes, 0, size, offset)
    change(bytes.subarray(0, count))
    writeSync(descriptor, bytes, 0, count, offset)
  } finally {
    closeSync(descriptor)
  }
}

const flip = (name: string, place: (size: number, random: Random) => number): Damage => ({
  name,
  apply: (path, random) => {
    const { size } = statSync(path)
    if (size === 0) return undefined
    const offset = Math.min(size - 1, Math.max(0, place(size, random)))
    const bit = random.below(8)
    overwrite(path, offset, (bytes) => void (bytes[0]! ^= 1 << bit), 1)
    return `bit ${bit} of byte ${offset} of ${size} flipped`
  }
})

const cut = (name: string, rest: (size: number) => number): Damage => ({
  name,
  apply: (path) => {
    const { size } = statSync(path)
    if (size === 0) return undefined
    truncateSync(path, rest(size))
    return `cut from ${size} to ${rest(size)} bytes`
  }
})

const PAGE = 4096

const zeroPage: Damage = {
  name: "zero-page",
  apply: (path, random) => {
    const { size } = statSync(path)
    if (size === 0) return undefined
    const offset = random.below(Math.ceil(size / PAGE)) * PAGE
    overwrite(path, offset, (bytes) => void bytes.fill(0), PAGE)
    return `the page at ${offset} of ${size} zeroed`
  }
}

const appended: Damage = {
  name: "appended",
  apply: (path, random) => {
    appendFileSync(path, Uint8Array.from({ length: 64 }, () => random.below(256)))
    return "64 bytes of garbage appended"
  }
}

const deleted: Damage = {
  name: "deleted",
  apply: (path) => {
    rmSync(path)
    return "deleted"
  }
}

const directory: Damage = {
  name: "directory",
  apply: (path) => {
    rmSync(path)
    mkdirSync(path)
    return "replaced by a directory"
  }
}

const random = (name: string): Damage => flip(name, (size, numbers) => numbers.below(size))

/** Everything that is done to every file. */
export const DAMAGES: ReadonlyArray<Damage> = [
  cut("empty", () => 0),
  cut("half", (size) => Math.floor(size / 2)),
  cut("byte-short", (size) => size - 1),
  flip("flip-start", () => 0),
  flip("flip-middle", (size) => Math.floor(size / 2)),
  flip("flip-end", (size) => size - 8),
  random("flip-random-1"),
  random("flip-random-2"),
  random("flip-random-3"),
  flip("flip-head-1", (_, numbers) => numbers.below(160)),
  flip("flip-head-2", (_, numbers) => 4096 + numbers.below(160)),
  zeroPage,
  appended,
  deleted,
  directory
]
