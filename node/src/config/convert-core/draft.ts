import type { NetworkRow } from "../network-table.ts"

/** A host, optionally with a port. */
export interface CorePlace {
  readonly host: string
  readonly port: number | undefined
}

/** The draft while it is made. */
export interface ConfigDraft {
  /** Values by key, such as `storage.dbcache_mb`. */
  readonly values: Map<string, unknown>
  readonly peers: Array<string>
  readonly rpc: {
    readonly hosts: Array<string>
    port: number | undefined
    readonly allowed: Array<string>
    readonly salted: Array<string>
    /** Methods by user. A user named twice may call the methods that are in both lists. */
    readonly whitelist: Map<string, ReadonlyArray<string>>
  }
  readonly listen: {
    host: string | undefined
    port: number | undefined
    readonly more: Array<CorePlace>
    /** Targets of the onion service. */
    readonly onion: Array<CorePlace>
    /** True if addresses are named at all: then there are no others. */
    isChosen: boolean
  }
  /** Settings for creating an onion service. */
  readonly onionService: {
    control: CorePlace | undefined
    password: string | undefined
    /** `undefined` if the file says nothing. */
    isWanted: boolean | undefined
  }
  readonly trusted: Array<string>
  /** `permissions@subnet` of inbound peers. */
  readonly permissions: Array<string>
  readonly onlyNetworks: Array<string>
  /** True if networks are named at all. */
  isNetworkChosen: boolean
  /** The reason why the node must not choose peers until the operator has checked the draft, if any. */
  heldBack: { readonly why: string; readonly areNamedKept: boolean } | undefined
  /** Settings of modules by name, and the high-water marks of ZeroMQ's topics. */
  readonly modules: Map<string, Record<string, unknown>>
  readonly highWaters: Map<string, number>
  /** `-onion=0`: hidden services are not reached through `proxy` either. */
  isOnionForbidden: boolean
  /** `-datacarrier=0`: the size limit of OP_RETURN outputs then has no effect. */
  isDataRefused: boolean
  readonly network: NetworkRow
}

export const emptyDraft = (network: NetworkRow): ConfigDraft => ({
  values: new Map<string, unknown>([["transport_preference", "tcponly"], [
    "protocol_version",
    network.protocolVersion
  ]]),
  peers: [],
  rpc: { hosts: [], port: undefined, allowed: [], salted: [], whitelist: new Map() },
  listen: { host: undefined, port: undefined, more: [], onion: [], isChosen: false },
  onionService: { control: undefined, password: undefined, isWanted: undefined },
  trusted: [],
  permissions: [],
  onlyNetworks: [],
  isNetworkChosen: false,
  heldBack: undefined,
  modules: new Map(),
  highWaters: new Map(),
  isOnionForbidden: false,
  isDataRefused: false,
  network
})

/** A note on a setting that was converted. */
export interface Note {
  readonly note: string
}

/** The outcome of a setting: `undefined`, a note, or the reason why it was omitted. */
export type Remark = Note | string | undefined

export type SettingMapping = (value: string, draft: ConfigDraft) => Remark

export const isTrueSetting = (value: string): boolean => value !== "0" && value !== "false"

/** Reads a switch as Bitcoin Core does: an empty value or a number except 0 is on; any word is off. */
export const isSwitchedOn = (value: string): boolean => value === "" || /^\s*[+-]?\d*[1-9]/.test(value)

export const NOT_A_NUMBER = "the value is not a number that fits"

export const number = (key: string, least: number, most: number): SettingMapping => (value, { values }) => {
  const parsed = Number(value)
  if (value === "" || !Number.isInteger(parsed) || parsed < least || parsed > most) return NOT_A_NUMBER
  values.set(key, parsed)
  return undefined
}

export const truthSetting = (key: string): SettingMapping => (value, { values }) => {
  values.set(key, isSwitchedOn(value))
  return undefined
}

export const textSetting = (key: string): SettingMapping => (value, { values }) => {
  if (value === "") return "the value is empty"
  values.set(key, value)
  return undefined
}

export const leftOut = (why: string): SettingMapping => () => why

/** Makes a mapping that remarks only on values other than the node's behaviour. */
export const unless = (values: ReadonlyArray<string>, why: string): SettingMapping => (given) =>
  values.includes(given) ? undefined : why
