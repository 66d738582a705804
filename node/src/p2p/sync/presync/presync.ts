import type { Height } from "@lockstep/kernel/quantities"
import { bytesEqual } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { ChainParameters } from "@lockstep/kernel/parameters"
import type { HeadersSyncParameters, Network } from "@lockstep/protocol/networks/network.ts"
import { medianTimePast } from "@lockstep/kernel/chain"
import { blockHash, type Header } from "@lockstep/kernel/model"
import { blockWork } from "@lockstep/kernel/work"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import type { PresyncNews } from "../../../runtime/sync-happening.ts"
import type { Environment } from "../../basics/environment.ts"
import { locatorOf } from "../headers/locator.ts"
import { addBit, bitCount, type BitQueue, bitQueue, takeBit } from "./commitments.ts"
import { bitsArePermitted } from "./permitted-bits.ts"

/**
 * Header presync (Core: `HeadersSyncState`). A chain of headers whose work is not known to suffice is fetched twice.
 * The first pass sums its work, and keeps one secret commitment bit for every so many headers. Once the work suffices,
 * the chain is fetched again and stored, and must match the same bits (redownload). So no part of a chain without work
 * is ever stored. A peer that sends another chain the second time gets at most the buffer stored before a bit reveals
 * it (CVE-2019-25220).
 */
export interface HeadersPresync {
  readonly start: HeaderIndexNode
  readonly minimumWork: bigint
  readonly parameters: ChainParameters
  readonly headersSync: HeadersSyncParameters
  readonly crypto: Crypto
  readonly secret: Uint8Array
  readonly offset: number
  readonly mostCommitments: number
  readonly commitments: BitQueue
  phase: "adding up" | "fetching again" | "ended"
  /** State of the first pass. */
  work: bigint
  height: Height
  lastHash: Uint8Array
  lastBits: number
  /** State of the redownload: headers that arrived and are not released yet. */
  againWork: bigint
  againHeight: Height
  againHash: Uint8Array
  againBits: number
  held: Array<Uint8Array>
  /** True once the work is reached, so that all headers up to it may be stored. */
  releasesAll: boolean
}

/** Maximum blocks per second that the rules about times allow. */
const MOST_BLOCKS_PER_SECOND = 6
const FUTURE_SECONDS = 2 * 60 * 60

/** The result of a message of headers. */
export interface PresyncStep {
  /**
   * False if these headers do not continue the previous ones. They are then handled without the presync, which is over.
   */
  readonly holds: boolean
  /** Headers to store now. */
  readonly released: ReadonlyArray<Uint8Array>
  /** Locator of the next request; `undefined` for no request. */
  readonly next: ReadonlyArray<Uint8Array> | undefined
  /** A change to report; absent while the presync continues. */
  readonly news?: PresyncNews
}

/** Begins the first pass over the headers on top of `start`, up to `minimumWork`. */
export const headersPresync = (
  start: HeaderIndexNode,
  minimumWork: bigint,
  { headersSync, parameters }: Pick<Network, "headersSync" | "parameters">,
  crypto: Crypto,
  { random, now }: Environment
): HeadersPresync => {
  const { commitmentPeriod } = headersSync
  const seconds = Math.max(0, Math.floor(now() / 1_000) - medianTimePast(start) + FUTURE_SECONDS)
  return {
    start,
    minimumWork,
    parameters,
    headersSync,
    crypto,
    secret: random.bytes(32),
    offset: random.below(commitmentPeriod),
    mostCommitments: Math.floor(MOST_BLOCKS_PER_SECOND * seconds / commitmentPeriod),
    commitments: bitQueue(),
    phase: "adding up",
    work: start.chainWork,
    height: start.height,
    lastHash: start.hash,
    lastBits: start.header.bits,
    againWork: start.chainWork,
    againHeight: start.height,
    againHash: start.hash,
    againBits: start.header.bits,
    held: [],
    releasesAll: false
  }
}

const BROKEN: PresyncStep = { holds: false, released: [], next: undefined }

type Fault = Extract<PresyncNews, { readonly _tag: "Aborted" }>

const aborted = (why: Fault["why"], height: Height, phase: Fault["phase"]): Fault => ({
  _tag: "Aborted",
  why,
  height,
  phase
})

const end = (presync: HeadersPresync, step: PresyncStep): PresyncStep => {
  presync.phase = "ended"
  presync.held = []
  return step
}

const broken = (presync: HeadersPresync, news: Fault): PresyncStep => end(presync, { ...BROKEN, news })

/** Ends the presync because the chain ended with too little work. */
const short = (presync: HeadersPresync, height: Height, phase: Fault["phase"]): PresyncStep =>
  end(presync, {
    holds: true,
    released: [],
    next: undefined,
    news: aborted("incomplete headers message", height, phase)
  })

/** Returns the commitment bit of a header, unpredictable for others. */
const bitOf = ({ crypto, secret }: HeadersPresync, hash: Uint8Array): number => {
  const salted = new Uint8Array(64)
  salted.set(secret)
  salted.set(hash, 32)
  return crypto.sha256(salted)[0]! & 1
}

/** Adds a header to the first pass. Returns its fault, or `undefined`. */
const addUp = (presync: HeadersPresync, header: Header, hash: Uint8Array): Fault | undefined => {
  const height = presync.height + 1
  if (!bytesEqual(header.previous, presync.lastHash)) {
    return aborted("non-continuous headers", presync.height, "presync")
  }
  if (!bitsArePermitted(height, presync.lastBits, header.bits, presync.parameters.work)) {
    return aborted("invalid difficulty transition", height, "presync")
  }
  if (height % presync.headersSync.commitmentPeriod === presync.offset) {
    addBit(presync.commitments, bitOf(presync, hash))
    // The chain has more headers than there can have been blocks.
    if (bitCount(presync.commitments) > presync.mostCommitments) {
      return aborted("exceeded max commitments", height, "presync")
    }
  }
  presync.work += blockWork(header.bits)
  presync.height = height
  presync.lastHash = hash
  presync.lastBits = header.bits
  return undefined
}

/** Compares a header of the redownload with the first pass. Returns its fault, or `undefined`. */
const compare = (presync: HeadersPresync, header: Header, hash: Uint8Array): Fault | undefined => {
  const height = presync.againHeight + 1
  if (!bytesEqual(header.previous, presync.againHash)) return aborted("non-continuous headers", height, "redownload")
  if (!bitsArePermitted(height, presync.againBits, header.bits, presync.parameters.work)) {
    return aborted("invalid difficulty transition", height, "redownload")
  }
  presync.againWork += blockWork(header.bits)
  if (presync.againWork >= presync.minimumWork) presync.releasesAll = true
  if (!presync.releasesAll && height % presync.headersSync.commitmentPeriod === presync.offset) {
    if (bitCount(presync.commitments) === 0) return aborted("commitment overrun", height, "redownload")
    if (takeBit(presync.commitments) !== bitOf(presync, hash)) {
      return aborted("commitment mismatch", height, "redownload")
    }
  }
  presync.againHeight = height
  presync.againHash = hash
  presync.againBits = header.bits
  presync.held.push(header.bytes.slice())
  return undefined
}

const locatorFrom = (
  { start }: HeadersPresync,
  hash: Uint8Array
): ReadonlyArray<Uint8Array> => [hash, ...locatorOf(start)]

const firstPass = (presync: HeadersPresync, headers: ReadonlyArray<Header>, isFull: boolean): PresyncStep => {
  for (const header of headers) {
    const wrong = addUp(presync, header, blockHash(header, presync.crypto))
    if (wrong !== undefined) return broken(presync, wrong)
  }
  if (presync.work >= presync.minimumWork) {
    presync.phase = "fetching again"
    const news: PresyncNews = { _tag: "Sufficient", height: presync.height, start: presync.start.height }
    return { holds: true, released: [], next: locatorOf(presync.start), news }
  }
  if (!isFull) return short(presync, presync.height, "presync")
  return { holds: true, released: [], next: locatorFrom(presync, presync.lastHash) }
}

const secondPass = (presync: HeadersPresync, headers: ReadonlyArray<Header>, isFull: boolean): PresyncStep => {
  for (const header of headers) {
    const wrong = compare(presync, header, blockHash(header, presync.crypto))
    if (wrong !== undefined) return broken(presync, wrong)
  }
  const kept = presync.releasesAll ? 0 : Math.min(presync.held.length, presync.headersSync.redownloadBuffer)
  const released = presync.held.splice(0, presync.held.length - kept)
  if (presync.releasesAll) {
    presync.phase = "ended"
    return { holds: true, released, next: undefined, news: { _tag: "Completed", height: presync.againHeight } }
  }
  if (!isFull) return { ...short(presync, presync.againHeight, "redownload"), released }
  return { holds: true, released, next: locatorFrom(presync, presync.againHash) }
}

/**
 * Processes the peer's next message of headers. `isFull` means that it had the maximum number. Precondition: the proof
 * of work of each was checked against its own bits.
 */
export const presyncHeaders = (
  presync: HeadersPresync,
  headers: ReadonlyArray<Header>,
  isFull: boolean
): PresyncStep => {
  if (presync.phase === "ended") return BROKEN
  return presync.phase === "adding up" ? firstPass(presync, headers, isFull) : secondPass(presync, headers, isFull)
}
