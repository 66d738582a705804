import { FILE_KEYS, FILE_TABLES, KEYS, shownKey } from "../catalogue.ts"
import { coreCounterpart } from "../convert-core/core-counterpart.ts"
import { nearest } from "@lockstep/protocol/nearest-name.ts"

const RPC_ADDRESS = "the address of RPC is set by --rpc-addr or NODE_RPC_ADDR, not in the file"

/** Keys that operators write because other files have them. */
const ADVICE: Readonly<Record<string, string>> = {
  network: "there is no [network] table: its keys stand at top level, and protocol_version chooses the network",
  rpc_addr: RPC_ADDRESS,
  rpc_listen_addr: RPC_ADDRESS,
  "rpc.addr": RPC_ADDRESS,
  "rpc.bind": RPC_ADDRESS,
  "rpc.host": RPC_ADDRESS,
  "rpc.port": RPC_ADDRESS,
  "rpc.listen_addr": RPC_ADDRESS,
  "rpc.listen_address": RPC_ADDRESS,
  "rpc.rpc_addr": RPC_ADDRESS,
  data_dir: "the data directory is [storage].data_dir"
}

const lastOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1)

const members = (table: string): ReadonlyArray<string> =>
  FILE_TABLES.get(table)!.members.map((member) => table === "" ? member : `${table}.${member}`)

const shown = (name: string): string => FILE_TABLES.has(name) ? `[${name}]` : shownKey(name)

const meant = (table: string, name: string): string | undefined => {
  const own = lastOf(name)
  const ofCore = coreCounterpart(own)
  if (ofCore !== undefined) return ofCore
  const beside = nearest(own, members(table).map(lastOf))
  if (beside !== undefined) return table === "" ? beside : `${table}.${beside}`
  return FILE_KEYS.find((known) => lastOf(known.name) === own)?.name ??
    nearest(name, FILE_KEYS.map((known) => known.name))
}

/** Describes a key of a file that no table has. */
export const aboutUnknownKey = (table: string, name: string): string => {
  const advice = Object.hasOwn(ADVICE, name) ? ADVICE[name] : undefined
  if (advice !== undefined) return `${shown(name)} is not a known key: ${advice}`
  const near = meant(table, name)
  const hint = near === undefined || (!KEYS.has(near) && !FILE_TABLES.has(near)) ? "" : `; did you mean ${shown(near)}?`
  return `${shown(name)} is not a known key${hint}`
}
