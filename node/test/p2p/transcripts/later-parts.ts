const FILTERS = "compact filters are served later"
const COMPACT = "blocks are taken and announced as compact ones later"

/**
 * Recorded scenarios that are about parts this node does not have yet, each with the reason. They are played all the
 * same, without looking at what comes; then the node is brought to where the recorded one was.
 */
export const LATER_PARTS: Readonly<Record<string, string>> = {
  cfilters: FILTERS,
  cmpct_announce: COMPACT,
  cmpct_low_bandwidth: COMPACT,
  cmpct_unsolicited_non_hb: COMPACT,
  cmpct_hb_selection: COMPACT,
  cmpct_receive_hb: COMPACT,
  cmpct_receive_full: COMPACT,
  cmpct_wrong_blocktxn: COMPACT,
  cmpct_header_only_known: "the node got the block before it from elsewhere, and so tells the peer of it",
  "bad:cmpctblock bad prefilled index": COMPACT,
  "bad:cmpctblock empty after request": COMPACT
}
