import type { NetworkName } from "@lockstep/protocol/networks/network.ts"
import type { HostPort } from "./config.ts"

/** Names of a network, and default addresses of its node. */
export interface NetworkRow {
  readonly name: NetworkName
  /** Value of `--network` and `NODE_NETWORK`. */
  readonly option: string
  /** Value of `protocol_version` in the file. */
  readonly protocolVersion: string
  readonly listen: HostPort
  readonly rpc: HostPort
  /** Name of its directory below Bitcoin Core's data directory; empty for that directory itself. */
  readonly coreDirectory: string
}

const row = (
  name: NetworkName,
  option: string,
  protocolVersion: string,
  ports: readonly [p2p: number, rpc: number],
  coreDirectory: string
): NetworkRow => ({
  name,
  option,
  protocolVersion,
  listen: { host: "0.0.0.0", port: ports[0] },
  rpc: { host: "127.0.0.1", port: ports[1] },
  coreDirectory
})

export const NETWORK_TABLE: Readonly<Record<NetworkName, NetworkRow>> = {
  mainnet: row("mainnet", "mainnet", "BitcoinV1", [8_333, 8_332], ""),
  testnet3: row("testnet3", "testnet", "Testnet3", [18_333, 18_332], "testnet3"),
  testnet4: row("testnet4", "testnet4", "Testnet4", [48_333, 48_332], "testnet4"),
  signet: row("signet", "signet", "Signet", [38_333, 38_332], "signet"),
  regtest: row("regtest", "regtest", "Regtest", [18_444, 18_443], "regtest")
}

export const NETWORK_ROWS: ReadonlyArray<NetworkRow> = Object.values(NETWORK_TABLE)

export const networkOfOption = (option: string): NetworkRow | undefined =>
  NETWORK_ROWS.find((candidate) => candidate.option === option)

export const networkOfProtocolVersion = (version: string): NetworkRow | undefined =>
  NETWORK_ROWS.find((candidate) => candidate.protocolVersion === version)
