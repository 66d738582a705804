import { key, table } from "./key.ts"
import { decimal, flag, integer } from "./shapes.ts"

export const RELAY_TABLE = table("What is relayed.", {
  enable_dandelion: key(flag, {
    about:
      "Send own transactions along a stem of single peers before all peers learn of them (Dandelion++), and hand on the " +
      "stem transactions of others.",
    fallback: false
  }),
  enable_package_relay: key(flag, {
    about:
      "Request all unconfirmed ancestors of an orphan at once, and serve them, among nodes that do so too (BIP331).",
    fallback: false
  }),
  private_broadcast: key(flag, {
    about:
      "Send transactions given to sendrawtransaction to single peers through Tor or I2P, instead of the mempool and all " +
      "peers, until they come back from the network.",
    fallback: false
  }),
  enable_erlay: key(flag, {
    about: "Reconcile transactions with peers instead of announcing them (Erlay, BIP330). Not in this build.",
    fallback: false
  }),
  enable_block_relay: key(flag, { about: "Relay blocks; the node always does.", fallback: true }),
  enable_tx_relay: key(flag, {
    about: "Relay transactions; [connections].blocks_only switches it off.",
    fallback: true
  }),
  max_relay_age: key(integer(1, 86_400), {
    about: "Seconds after which nothing is relayed. Not in this build.",
    fallbackText: "the limits of Bitcoin Core",
    example: 3_600
  }),
  max_tracked_items: key(integer(1), {
    about: "Relayed items that are remembered. Not in this build.",
    fallbackText: "the limits of Bitcoin Core",
    example: 10_000
  })
})

export const DANDELION_TABLE = table("Dandelion++, which [relay].enable_dandelion switches on.", {
  stem_timeout_seconds: key(integer(1, 3_600), {
    about:
      "The embargo, in the mean: how long a stem transaction may stay unknown before the node announces it to all.",
    fallback: 10
  }),
  fluff_probability: key(decimal(0, 1, 6), {
    about: "How probable it is that the node announces the stem transactions of others at once, during ten minutes.",
    fallback: 0.1
  }),
  max_stem_hops: key(integer(1, 255), {
    about: "The most hops of a stem. Not in this build: see fluff_probability.",
    fallbackText: "1 / fluff_probability in the mean",
    example: 2
  })
})
