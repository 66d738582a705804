import * as Result from "effect/Result"
import { MAX_FUTURE_BLOCK_TIME, MAX_TIMEWARP } from "../constants.ts"
import type { DeploymentHeights, WorkParameters } from "../parameters/chain-parameters.ts"
import type { Header } from "../model/header.ts"
import type { Bits, Height, UnixSeconds } from "../quantities.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { requiredBits, retargetInterval } from "./required-work.ts"
import { medianTimePast } from "../chain/median-time.ts"
import type { HeaderNode } from "../chain/header-node.ts"

export type WrongBits = Violation<"HDR-001", { readonly bits: Bits; readonly required: Bits }>
export type TimeTooOld = Violation<"HDR-002", { readonly time: UnixSeconds; readonly median: UnixSeconds }>
export type Timewarp = Violation<"HDR-003", { readonly time: UnixSeconds; readonly parentTime: UnixSeconds }>
export type TimeTooNew = Violation<"HDR-004", { readonly time: UnixSeconds; readonly now: UnixSeconds }>
export type OldVersion = Violation<"HDR-005", { readonly version: number }>

/**
 * A header has exactly the bits its ancestry requires.
 *
 * @spec HDR-001 #cd7dc0b8
 */
export const bitsAreRequired = (header: Header, parent: HeaderNode, work: WorkParameters): Verdict<void, WrongBits> => {
  const required = requiredBits(parent, header.time, work)
  return header.bits === required ? HOLDS : Result.fail(violation("HDR-001", { bits: header.bits, required }))
}

/**
 * A header is later than the median time past of its parent. Equal is too early.
 *
 * @spec HDR-002 #45720638
 */
export const timeIsAfterMedian = (header: Header, parent: HeaderNode): Verdict<void, TimeTooOld> => {
  const median = medianTimePast(parent)
  return header.time > median ? HOLDS : Result.fail(violation("HDR-002", { time: header.time, median }))
}

/**
 * Under BIP94 the first header of a period is at most {@link MAX_TIMEWARP} seconds before its parent.
 *
 * @spec HDR-003 #f10685cc
 */
export const periodStartIsNotWarped = (
  header: Header,
  parent: HeaderNode,
  work: WorkParameters
): Verdict<void, Timewarp> => {
  if (!work.bip94 || (parent.height + 1) % retargetInterval(work) !== 0) return HOLDS
  const parentTime = parent.header.time
  return header.time >= parentTime - MAX_TIMEWARP
    ? HOLDS
    : Result.fail(violation("HDR-003", { time: header.time, parentTime }))
}

/**
 * A header is at most {@link MAX_FUTURE_BLOCK_TIME} seconds ahead of `now`, the caller's clock in Unix seconds. The one
 * rule whose verdict may change by waiting: such a header is not invalid for good.
 *
 * @spec HDR-004 #69d3a423
 */
export const timeIsNotTooNew = (header: Header, now: UnixSeconds): Verdict<void, TimeTooNew> =>
  header.time <= now + MAX_FUTURE_BLOCK_TIME ? HOLDS : Result.fail(violation("HDR-004", { time: header.time, now }))

/**
 * A header's version, a signed number, is at least what the deployments in force ask for: 2 for BIP34, 3 for BIP66, 4
 * for BIP65.
 *
 * @spec HDR-005 #f285bcda
 */
export const versionIsSupported = (
  header: Header,
  height: Height,
  heights: DeploymentHeights
): Verdict<void, OldVersion> => {
  const { version } = header
  const old = (version < 2 && height >= heights.bip34) || (version < 3 && height >= heights.bip66) ||
    (version < 4 && height >= heights.bip65)
  return old ? Result.fail(violation("HDR-005", { version })) : HOLDS
}
