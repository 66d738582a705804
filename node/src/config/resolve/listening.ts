import { isIP, isIPv4 } from "node:net"
import { anySettingName, settingName, shortSettingName } from "../../front/setting-name.ts"
import type { HostPort, NodeConfig, ProxyPlace } from "../config.ts"
import { printHostPort } from "../host-port.ts"
import { isSocket } from "../proxy-place.ts"

const LOCALHOST = "127.0.0.1"

const withoutName = ({ host, port }: HostPort): HostPort =>
  host === "localhost" ? { host: LOCALHOST, port } : { host, port }

const WILDCARDS: ReadonlyArray<string> = ["0.0.0.0", "::"]

/** Reports whether a process can listen on only one of two addresses. Port 0 means any free port. */
const clash = (one: HostPort, other: HostPort): boolean =>
  one.port === other.port && one.port !== 0 && isIPv4(one.host) === isIPv4(other.host) &&
  (one.host === other.host || [one, other].some(({ host }) => WILDCARDS.includes(host)))

interface Place {
  readonly key: string
  readonly place: HostPort
}

const REMEDY = "give an address, such as 127.0.0.1"

/** Describes names among the listening addresses and proxies, which must be numeric. */
const nameProblems = (peers: NodeConfig["peers"]): ReadonlyArray<string> => {
  const { i2p, iroh, listen, moreListen, onionListen, onionProxy, proxy, quic, torControl } = peers
  const places: ReadonlyArray<readonly [string, HostPort | ProxyPlace | undefined]> = [
    [shortSettingName("listen_addr"), listen],
    ...moreListen.map((place) => [settingName("[connections].more_listen_addrs"), place] as const),
    ...onionListen.map((place) => [settingName("[connections].onion_listen_addrs"), place] as const),
    [settingName("[connections].tor_control"), torControl?.at],
    [settingName("[connections].i2p_sam"), i2p?.at],
    [anySettingName("[connections].quic_listen_addr"), quic?.listen],
    [anySettingName("[connections].iroh_listen_addr"), iroh?.listen],
    [settingName("[connections].proxy"), proxy],
    [settingName("[connections].onion_proxy"), onionProxy]
  ]
  return places.flatMap(([key, place]) =>
    place === undefined || isSocket(place) || isIP(withoutName(place).host) !== 0
      ? []
      : [`${key}: ${place.host} is a name; ${REMEDY}`]
  )
}

/** Addresses at which the node must listen to start. A default address for peers may be taken. */
const placesOf = ({ peers, rest, rpc }: NodeConfig): ReadonlyArray<Place> => {
  const { isListenGiven, isListening, listen, moreListen, onionListen } = peers
  const given = isListening && (isListenGiven || moreListen.length > 0 || onionListen.length > 0)
  const isFirst = (place: HostPort): boolean => place.host === listen.host && place.port === listen.port
  return [
    { key: settingName("--rpc-addr"), place: rpc.bind },
    ...rest === undefined ? [] : [{ key: anySettingName("[rest_api].listen_addr"), place: rest.bind }],
    ...given
      ? [
        { key: shortSettingName("listen_addr"), place: listen },
        ...moreListen.map((place) => ({ key: shortSettingName("[connections].more_listen_addrs"), place })),
        ...onionListen.filter((place) => !isFirst(place)).map((place) => ({
          key: shortSettingName("[connections].onion_listen_addrs"),
          place
        }))
      ]
      : []
  ].map(({ key, place }) => ({ key, place: withoutName(place) }))
}

/** Addresses at UDP ports at which the node listens for others. */
const udpPlacesOf = ({ peers: { iroh, isListening, quic } }: NodeConfig): ReadonlyArray<Place> =>
  isListening && quic !== undefined && iroh !== undefined
    ? [
      { key: anySettingName("[connections].quic_listen_addr"), place: withoutName(quic.listen) },
      { key: anySettingName("[connections].iroh_listen_addr"), place: withoutName(iroh.listen) }
    ]
    : []

const clashesOf = (places: ReadonlyArray<Place>): ReadonlyArray<string> =>
  places.flatMap(({ key, place }, at) =>
    places.slice(0, at).filter((earlier) => clash(earlier.place, place))
      .map((earlier) => `${printHostPort(place)} is given twice, by ${earlier.key} and by ${key}; change one of them`)
  )

/** Describes conflicts of listening addresses, independent of other programs on the machine. */
export const listeningProblems = (config: NodeConfig): ReadonlyArray<string> => {
  const clashes = [placesOf(config), udpPlacesOf(config)].flatMap(clashesOf)
  return [...nameProblems(config.peers), ...clashes]
}
