import type { UnixSeconds } from "../quantities.ts"
import type { HeaderNode } from "./header-node.ts"

/** Headers whose median counts. */
const MEDIAN_TIME_SPAN = 11

/**
 * The median time past of `node`: the median of the times of it and its ten ancestors, fewer near genesis. Unix
 * seconds.
 *
 * Of an even number the later of the two middle ones.
 *
 * @spec HDR-006 #27a71277
 */
export const medianTimePast = (node: HeaderNode): UnixSeconds => {
  const times: Array<number> = []
  for (let at: HeaderNode | undefined = node; at !== undefined && times.length < MEDIAN_TIME_SPAN; at = at.parent) {
    times.push(at.header.time)
  }
  times.sort((a, b) => a - b)
  return times[times.length >> 1]!
}
