import { key } from "./key.ts"
import { NETWORK_OPTION } from "./other-tables.ts"
import { flag, hostPort, integer, listOf, path, text } from "./shapes.ts"

const address = text("an address", /^\S+$/)

/** Settings that no file has: they come from the environment and the command line alone. */
export const OPTION_KEYS = {
  network: key(NETWORK_OPTION, { about: "Network to run on.", fallbackText: "protocol_version of the file, else regtest" }),
  rpc_addr: key(hostPort, {
    about: "Where RPC is served.",
    fallbackText: "127.0.0.1 and the RPC port of the network: 8332, 18332, 48332, 38332 or 18443"
  }),
  unsafe_rpc_bind: key(flag, {
    about: "Serve RPC to other machines although no credentials are configured.",
    fallback: false
  }),
  migrate_destination: key(path, { about: "Where the store made from a reference data directory goes." }),
  migrate_core_only: key(flag, { about: "Take over a reference data directory and exit.", fallback: false }),
  stratum_v2: key(flag, { about: "Stratum V2.", fallback: false }),
  dandelion: key(flag, { about: "Dandelion++ relay.", fallback: false }),
  sigop: key(flag, { about: "Counting of signature operations for relay.", fallback: false }),
  bip158: key(flag, { about: "Preference for compact block filters; only logged.", fallback: false }),
  assumeutxo: key(text("a block hash of 64 hexadecimal digits", /^[0-9a-fA-F]{64}$/), {
    about: "Block whose coin set is taken from a snapshot."
  }),
  target_peer_count: key(integer(0, 100_000), { about: "Connections of its own making the node tries to have: eight for everything, others for blocks alone." }),
  async_request_timeout: key(integer(1, 86_400), { about: "Seconds until a request to a peer is given up." }),
  module_max_cpu_percent: key(integer(1, 100), { about: "Processor share of one module." }),
  module_max_memory_bytes: key(integer(1), { about: "Memory of one module." }),
  ibd_peers: key(listOf(address), { about: "Nodes to download from: they are connected to and stay so." }),
  ibd_engine: key(flag, { about: "Age-tiered store of coins.", fallback: false }),
  ibd_wan_single_peer: key(flag, { about: "Download from one node alone.", fallback: false }),
  core_migrate_block_workers: key(integer(1), { about: "Threads that read blocks while taking over a data directory." }),
  core_migrate_block_batch: key(integer(1), { about: "Blocks read at once while taking over a data directory." })
}
