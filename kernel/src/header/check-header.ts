import * as Result from "effect/Result"
import type { ChainParameters } from "../parameters/chain-parameters.ts"
import type { Header } from "../model/header.ts"
import type { UnixSeconds } from "../quantities.ts"
import type { Verdict, Violation } from "../verdict.ts"
import {
  bitsAreRequired,
  periodStartIsNotWarped,
  timeIsAfterMedian,
  timeIsNotTooNew,
  versionIsSupported
} from "./contextual.ts"
import type { HeaderNode } from "../chain/header-node.ts"

/**
 * Checks a header on top of `parent` at the time `now`. Proof of work (WRK-004) comes before, as it needs no parent.
 *
 * @spec HDR-007 #25c00cda
 */
export const checkHeader = (
  header: Header,
  parent: HeaderNode,
  now: UnixSeconds,
  parameters: ChainParameters
): Verdict<void, Violation> => {
  const { heights, work } = parameters
  const requiredWork = bitsAreRequired(header, parent, work)
  if (Result.isFailure(requiredWork)) return requiredWork
  const afterMedian = timeIsAfterMedian(header, parent)
  if (Result.isFailure(afterMedian)) return afterMedian
  const notWarped = periodStartIsNotWarped(header, parent, work)
  if (Result.isFailure(notWarped)) return notWarped
  const notTooNew = timeIsNotTooNew(header, now)
  return Result.isFailure(notTooNew) ? notTooNew : versionIsSupported(header, parent.height + 1, heights)
}
