import * as Result from "effect/Result"
import type { ChainParameters } from "../deployment/parameters.ts"
import type { Header } from "../model/header.ts"
import type { Verdict, Violation } from "../verdict.ts"
import { bitsAreRequired, periodStartIsNotWarped, timeIsAfterMedian, timeIsNotTooNew, versionIsSupported } from "./context.ts"
import type { HeaderNode } from "./node.ts"

/**
 * What a header must be on top of `parent` at the time `now`. Proof of work (WRK-004) comes before, as it needs no parent.
 *
 * @spec HDR-007 #25c00cda
 */
export const checkHeader = (
  header: Header,
  parent: HeaderNode,
  now: number,
  parameters: ChainParameters
): Verdict<void, Violation> => {
  const { heights, work } = parameters
  const bits = bitsAreRequired(header, parent, work)
  if (Result.isFailure(bits)) return bits
  const old = timeIsAfterMedian(header, parent)
  if (Result.isFailure(old)) return old
  const warped = periodStartIsNotWarped(header, parent, work)
  if (Result.isFailure(warped)) return warped
  const early = timeIsNotTooNew(header, now)
  return Result.isFailure(early) ? early : versionIsSupported(header, parent.height + 1, heights)
}
