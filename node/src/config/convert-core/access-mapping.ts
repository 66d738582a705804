import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import { parseSubnet } from "../../net/subnet.ts"
import { parseHostPort } from "../host-port.ts"
import { DEPRECATED_ANSWERS } from "../deprecated-answers.ts"
import { METHOD_NAME, SALTED_PASSWORD } from "../schema/rpc-tables.ts"
import {
  type CorePlace,
  isSwitchedOn,
  leftOut,
  type SettingMapping,
  number,
  textSetting,
  truthSetting,
  unless
} from "./draft.ts"

/** Splits a text into a host and, if present, a port. */
export const splitHost = (value: string): CorePlace => {
  const address = parseHostPort(value)
  return address === undefined ? { host: value.replaceAll(/[[\]]/g, ""), port: undefined } : address
}

const THIS_MACHINE = "127.0.0.1"

const rpcBind: SettingMapping = (value, draft) => {
  const address = splitHost(value)
  draft.rpc.hosts.push(address.host)
  draft.rpc.port ??= address.port
  return draft.rpc.hosts.length > 1 ? "RPC is bound to one address, and the first is taken" : undefined
}

const rpcPort: SettingMapping = (value, { rpc }) => {
  const parsed = Number(value)
  if (!Number.isInteger(parsed) || parsed < 1 || parsed > 65_535) return "the value is not a port"
  rpc.port = parsed
  return undefined
}

/** Converts `rpcallowip`. An invalid subnet must not leave the list empty, because an empty one allows all. */
const rpcAllowIp: SettingMapping = (value, { rpc }) => {
  if (value === "0") {
    rpc.allowed.length = 0
    return undefined
  }
  const network = parseSubnet(value)?.address.network
  const isIp = network === AddressNetwork.IPV4 || network === AddressNetwork.IPV6
  rpc.allowed.push(isIp ? value : THIS_MACHINE)
  return isIp ? undefined : "the value names no subnet, so only this machine is allowed in its place"
}

const rpcAuth: SettingMapping = (value, { rpc }) => {
  if (!SALTED_PASSWORD.test(value)) {
    return "the value is not user:salt$hash with 64 hexadecimal digits in small letters, so it matches no password"
  }
  rpc.salted.push(value)
  return undefined
}

const deprecated: SettingMapping = (value, { values }) => {
  const answer = DEPRECATED_ANSWERS.find((each) => each === value)
  if (answer === undefined) return `the node has no deprecated answer "${value}"`
  const before = (values.get("rpc.deprecated") ?? []) as ReadonlyArray<string>
  values.set("rpc.deprecated", [...new Set([...before, answer])])
  return undefined
}

const rpcWhitelist: SettingMapping = (value, { rpc: { whitelist } }) => {
  const [user = "", listed = ""] = value.split(/:(.*)/s, 2)
  if (user === "") return "the value names no user"
  const methods = listed.split(/[\s,]+/).filter((method) => METHOD_NAME.test(method))
  const before = whitelist.get(user)
  whitelist.set(
    user,
    before === undefined ? [...new Set(methods)] : before.filter((method) => methods.includes(method))
  )
  return undefined
}

const rest: SettingMapping = (value, { values }) => {
  const isServed = isSwitchedOn(value)
  values.set("rest_api.enabled", isServed)
  return isServed
    ? { note: "REST has other paths here, under /api/v1 on a port of its own, and asks for the credentials of RPC" }
    : undefined
}

const COOKIE = "the cookie is always the file .cookie in the data directory of the network, for its owner alone"

/** Settings about the callers of the node. */
export const ACCESS_MAPPING: Readonly<Record<string, SettingMapping>> = {
  rpcuser: textSetting("rpc_auth.username"),
  rpcpassword: textSetting("rpc_auth.password"),
  rpcauth: rpcAuth,
  rpccookiefile: unless([".cookie"], COOKIE),
  rpccookieperms: unless(["owner"], COOKIE),
  rpcbind: rpcBind,
  rpcport: rpcPort,
  rpcallowip: rpcAllowIp,
  rpcwhitelist: rpcWhitelist,
  rpcwhitelistdefault: truthSetting("rpc_auth.whitelist_default"),
  deprecatedrpc: deprecated,
  rpcworkqueue: number("rpc.work_queue", 1, 100_000),
  rpcservertimeout: number("rpc.request_timeout_secs", 1, 86_400),
  server: unless(["1", ""], "RPC is always served, on 127.0.0.1 unless --rpc-addr says otherwise"),
  rest,
  ipcbind: leftOut("the node has no socket for other processes"),
  includeconf: leftOut("the file it names is not read; convert it apart")
}
