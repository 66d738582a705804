import type { Milliseconds } from "../quantities.ts"
import type { Kinds, Plain } from "./words.ts"

/** Events of a start and a stop: files, threads and own addresses of the network layer, and logins of RPC. */
export type StartHappening =
  | Plain<"BanListCreated" | "BucketedByPrefix">
  | Kinds<{
    AnchorsLoaded: { count: number }
    AnchorsSaved: { count: number; isDone: boolean }
    /** The part of the known internet that an asmap covers. */
    AsmapChecked: { clearnet: number; systems: number; unmapped: number }
    I2pSessionCreated: { kind: "persistent" | "transient"; id: string; router: string }
    NetworkThread: { name: string; isRunning: boolean }
    OnionServiceAdded: { address: string }
    OwnAddressAdded: { address: string; score: number }
    PeersFileLoaded: { count: number; took: Milliseconds }
    /** Another version wrote the file, which is put aside. */
    PeersFileOfOtherVersion: { path: string }
    RpcStarting: {
      cookie: { file: string; mode: number } | undefined
      login: "cookie" | "none" | "password"
      hasSalted: boolean
      threads: number
    }
    StageBegun: { stage: "addresses" | "bans" | "network" }
  }>
