import { key, table } from "./key.ts"
import { integer } from "./shapes.ts"

/** All the money that there will ever be, in satoshis. */
const MAX_MONEY = 2_100_000_000_000_000

export const MINING_TABLE = table("How blocks and block templates are made.", {
  block_max_weight: key(integer(0), {
    about: "Weight that a block stays below: 4000000 at most, as consensus allows.",
    fallback: 4_000_000
  }),
  block_reserved_weight: key(integer(0), {
    about: "Weight that a template keeps free for the header and the coinbase: at least 2000.",
    fallback: 8_000
  }),
  block_min_fee: key(integer(0, MAX_MONEY), {
    about: "Satoshis per 1,000 virtual bytes: transactions that pay less, with what they bring along, are left out.",
    fallback: 1
  })
})
