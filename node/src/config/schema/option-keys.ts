import { key } from "./key.ts"
import { NETWORK_OPTION } from "./other-tables.ts"
import { flag, hostPort, integer, listOf, nodeAddress, path, text } from "./shapes.ts"

/** Settings that no file has: they come from the environment and the command line alone. */
export const OPTION_KEYS = {
  network: key(NETWORK_OPTION, {
    about: "Network to run on.",
    fallbackText: "protocol_version of the file, else regtest"
  }),
  rpc_addr: key(hostPort, {
    about: "Where RPC is served.",
    fallbackText: "127.0.0.1 and the RPC port of the network: 8332, 18332, 48332, 38332 or 18443"
  }),
  unsafe_rpc_bind: key(flag, {
    about: "Serve RPC to other machines although no credentials are configured.",
    fallback: false
  }),
  migrate_destination: key(path, { about: "Where the store made from a data directory of Bitcoin Core goes." }),
  migrate_core_only: key(flag, { about: "Migrate a data directory of Bitcoin Core and exit.", fallback: false }),
  sigop: key(flag, {
    about: "Counting of signature operations for relay; the node always counts them.",
    fallback: true
  }),
  bip158: key(flag, { about: "Preference for compact block filters; only logged.", fallback: false }),
  assumeutxo: key(text("a block hash of 64 hexadecimal digits", /^[0-9a-fA-F]{64}$/), {
    about: "Block whose coin set is taken from a snapshot."
  }),
  target_peer_count: key(integer(0, 100_000), {
    about: "Outbound connections the node tries to have: eight that relay everything, the rest block-relay-only."
  }),
  async_request_timeout: key(integer(1, 86_400), { about: "Seconds until a request to a peer times out." }),
  ibd_peers: key(listOf(nodeAddress), { about: "Nodes to download from: they are connected to and stay so." }),
  ibd_engine: key(flag, { about: "Age-tiered store of coins.", fallback: false }),
  ibd_wan_single_peer: key(flag, { about: "Download from one node alone.", fallback: false }),
  core_migrate_block_workers: key(integer(1), {
    about: "Threads that read blocks while a data directory is migrated."
  }),
  core_migrate_block_batch: key(integer(1), { about: "Blocks read at once while a data directory is migrated." })
}
