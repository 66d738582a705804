import type { StartHappening } from "../../runtime/start-happening.ts"
import type { LinesBy } from "./lines-by.ts"
import { inDetail, info } from "./core-line.ts"

const STAGES = {
  addresses: "Loading P2P addresses…",
  bans: "Loading banlist…",
  network: "Starting network threads…"
} as const

const LOGINS = {
  cookie: "Using random cookie authentication.",
  none: "RPC authentication cookie file generation is disabled.",
  password: "Using rpcuser/rpcpassword authentication."
} as const

/** Returns the permission bits of a mode as `ls` shows them. */
const permissionsText = (mode: number): string =>
  [6, 3, 0].map((at) => {
    const bits = mode >> at
    return `${(bits & 4) === 0 ? "-" : "r"}${(bits & 2) === 0 ? "-" : "w"}${(bits & 1) === 0 ? "-" : "x"}`
  }).join("")

/** Log lines about files and threads of the network layer and the RPC server. */
export const OF_START: LinesBy<StartHappening> = {
  AnchorsLoaded: ({ count }) => [info(`${count} block-relay-only anchors will be tried for connections.`)],
  AnchorsSaved: ({ count, isDone }) => [
    info(
      `DumpAnchors: Flush ${count} outbound block-relay-only peer addresses to anchors.dat ${
        isDone ? "completed" : "started"
      }`
    )
  ],
  AsmapChecked: ({ clearnet, systems, unmapped }) => [
    info(
      `ASMap Health Check: ${clearnet} clearnet peers are mapped to ${systems} ASNs with ${unmapped} peers being unmapped`
    )
  ],
  BanListCreated: () => [info("Recreating the banlist database")],
  BucketedByPrefix: () => [info("Using /16 prefix for IP bucketing")],
  I2pSessionCreated: ({ id, kind, router }) => [
    inDetail("i2p", `Creating ${kind} I2P SAM session ${id} with ${router}`)
  ],
  NetworkThread: ({ isRunning, name }) => [info(`${name} thread ${isRunning ? "start" : "exit"}`)],
  OnionServiceAdded: ({ address }) => [
    info(`Got tor service ID ${address.slice(0, address.indexOf("."))}, advertising service ${address}`)
  ],
  OwnAddressAdded: ({ address, score }) => [info(`AddLocal(${address},${score})`)],
  PeersFileLoaded: ({ count, took }) => [info(`Loaded ${count} addresses from peers.dat  ${Math.round(took)}ms`)],
  PeersFileOfOtherVersion: ({ path }) => [
    info(
      `Creating new peers.dat because the file version was not compatible ("${path}"). ` +
        "Original backed up to peers.dat.bak"
    )
  ],
  RpcStarting: ({ cookie, hasSalted, login, threads }) => [
    ...cookie === undefined ? [] : [
      info(`Generated RPC authentication cookie ${cookie.file}`),
      info(`Permissions used for cookie: ${permissionsText(cookie.mode)}`)
    ],
    info(LOGINS[login]),
    ...hasSalted ? [info("Using rpcauth authentication.")] : [],
    info(`Starting HTTP server with ${threads} worker threads`)
  ],
  StageBegun: ({ stage }) => [info(`init message: ${STAGES[stage]}`)]
}
