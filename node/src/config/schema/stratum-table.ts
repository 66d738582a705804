import { key, table } from "./key.ts"
import { TRANSPORTS_MEANT } from "./peer-keys.ts"
import { choice, flag, hostPort, integer, listOf, text } from "./shapes.ts"

const joined = (word: string): string => word.toLowerCase().replaceAll("_", "")

/** Settings of the module `stratum-v2`; `[modules.stratum-v2]` has its others. */
export const STRATUM_V2_TABLE = table("Mining over Stratum V2, by the module stratum-v2.", {
  enabled: key(flag, {
    about: "Run the module stratum-v2, which has to be in modules_dir, with this table.",
    fallback: false
  }),
  listen_addr: key(hostPort, {
    about: "Where miners connect. The module may listen there and nowhere else.",
    fallbackText: "127.0.0.1:3334",
    example: "192.168.1.10:3334"
  }),
  transport_preference: key(choice(["tcponly", "irohonly", "quinnonly", "hybrid", "all"], joined, TRANSPORTS_MEANT), {
    about: "How miners connect: over TCP.",
    fallback: "tcponly"
  }),
  pool_url: key(text("a URL", /^\S+$/), {
    about: "Pool whose jobs are passed on. Not in this build.",
    fallbackText: "none: jobs are made of this node's templates",
    example: "stratum2+tcp://pool.example:3333/9bXiEd8boQVhq7WddEcERUL5tyyJVFYdU8th3HfbNXK3Yw6GRXh"
  }),
  merge_mining_enabled: key(flag, { about: "Mine other chains as well. Not in this build.", fallback: false }),
  secondary_chains: key(listOf(text("the name of a chain")), {
    about: "Chains that are mined as well. Not in this build.",
    fallback: []
  }),
  p2p_stratum_demux: key(flag, {
    about: "Take miners on the port of peers. They are taken at listen_addr alone.",
    fallback: false
  }),
  merge_mining_fee: table("Shares of what merge mining earns. Not in this build.", {
    enabled: key(flag, { about: "Pay such a share.", fallback: false }),
    fee_percentage: key(integer(0, 100), { about: "The share in percent.", fallback: 1 }),
    commons_address: key(text("an address"), {
      about: "Where the share goes.",
      fallbackText: "nowhere",
      example: "bc1q…"
    }),
    contributor_id: key(text("a text"), { about: "Whose share it is.", fallbackText: "none", example: "ann" }),
    auto_distribute: key(flag, { about: "Pay it at once.", fallback: false })
  })
})
