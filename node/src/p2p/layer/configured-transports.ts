import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import type { HostPort, NodeConfig, ProxyPlace } from "../../config/config.ts"
import { isSocket, printProxyPlace, proxiesOf } from "../../config/proxy-place.ts"
import { endpointText, parseAddress } from "../../net/endpoint-text.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import type { Random } from "../basics/environment.ts"
import type { LearnedNetwork } from "../transport/learned-network.ts"
import type { NetworkReach } from "./network.ts"
import { I2P_KEY } from "../transport/i2p/i2p-key.ts"
import { type I2pNetwork, i2pNetwork } from "../transport/i2p/i2p-transport.ts"
import type { QuicError } from "../../quic/quic-key.ts"
import { QUIC_KEY, startQuic } from "../transport/quic/start-quic.ts"
import { IROH_KEY, type IrohError, startIroh } from "../transport/iroh/start-iroh.ts"
import { socks5Transport } from "../transport/socks5/socks5-transport.ts"
import { DIAL_TIMEOUT_MS, tcpTransportWithin, type UnixSocket } from "../transport/tcp/tcp-transport.ts"
import type { TransportSet } from "../transport/transport-choice.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"
import { privateTransport } from "../private-broadcast/private-transport.ts"
import { ListenError, type Transport } from "../transport/transport.ts"
import { shortSettingName } from "../../front/setting-name.ts"

/** Parses the host and port of a configuration as an endpoint. `key` is the setting that an error names. */
export const endpointOf = (
  { host, port }: HostPort,
  key = shortSettingName("listen_addr")
): Effect.Effect<Endpoint, ListenError> => {
  const address = parseAddress(host === "localhost" ? "127.0.0.1" : host)
  return address === undefined
    ? Effect.fail(new ListenError({ message: `${key}: ${host} is a name; give an address, such as 127.0.0.1` }))
    : Effect.succeed({ address, port })
}

/** The configured transports. A transport into I2P can also accept connections. */
interface ConfiguredTransports extends TransportSet {
  readonly i2pNetwork: I2pNetwork | undefined
  /** Connects only through Tor and I2P. */
  readonly hidden: Transport
}

const onlyTransport = ({ iroh, quic }: NodeConfig["peers"]): TransportSet["only"] => {
  if (quic?.isOnly === true) return "quic"
  return iroh?.isOnly === true ? "iroh" : undefined
}

/** Makes the transports that the configuration names. */
export const configuredTransports = Effect.fnUntraced(
  function*(
    config: NodeConfig,
    random: Random,
    learned: LearnedNetwork,
    trace?: P2pNotifications["trace"]
  ): Effect.fn.Return<ConfiguredTransports, IrohError | ListenError | QuicError, Scope.Scope> {
    const { dataDirectory, peers, standIn } = config
    const { hasCjdns, i2p: router, isListening, isolateStreams } = peers
    const { connectTimeout = DIAL_TIMEOUT_MS } = standIn?.network ?? {}
    const isolation = isolateStreams ? random : undefined
    const through = (place: ProxyPlace): Effect.Effect<Transport, ListenError> =>
      Effect.map(
        isSocket(place)
          ? Effect.succeed<Endpoint | UnixSocket>(place)
          : endpointOf(place, shortSettingName("[connections].proxy")),
        (proxy) => socks5Transport({ proxy, isolation, connectTimeout })
      )
    const { cjdns, ipv4, ipv6, names, onion } = proxiesOf(config)
    const maybe = (place: ProxyPlace | undefined): Effect.Effect<Transport | undefined, ListenError> =>
      place === undefined ? Effect.succeed(undefined) : through(place)
    const configured = yield* Effect.all({
      ipv4: maybe(ipv4),
      ipv6: maybe(ipv6),
      onion: maybe(onion),
      cjdns: maybe(cjdns),
      names: maybe(names)
    })
    const acceptsI2p = router?.acceptsIncoming === true && isListening
    const i2p = router === undefined ? undefined : yield* i2pNetwork({
      at: yield* endpointOf(router.at, shortSettingName("[connections].i2p_sam")),
      connectTimeout,
      random,
      trace,
      keyFile: acceptsI2p ? join(dataDirectory, I2P_KEY) : undefined
    })
    const tor = (): Transport | undefined => {
      const found = learned.onionProxy()
      // Tor itself announced this proxy, and it isolates streams by the clients' credentials.
      return found === undefined
        ? configured.onion
        : socks5Transport({ proxy: found, isolation: random, connectTimeout })
    }
    return {
      i2pNetwork: i2p,
      i2p: i2p?.transport,
      hidden: privateTransport({ tor, i2p: i2p?.transient }),
      direct: tcpTransportWithin(connectTimeout),
      proxies: {
        ...configured,
        get onion() {
          return tor()
        }
      },
      hasCjdns,
      quic: peers.quic === undefined
        ? undefined
        : yield* startQuic(join(dataDirectory, QUIC_KEY), random, connectTimeout),
      iroh: peers.iroh === undefined
        ? undefined
        : yield* startIroh(join(dataDirectory, IROH_KEY), random, connectTimeout),
      only: onlyTransport(peers)
    }
  }
)

const NETWORKS = ["ipv4", "ipv6", "onion", "i2p", "cjdns"] as const

/** Returns the networks that are reachable now, with the proxy to each. */
export const reachOf =
  (config: NodeConfig, reachable: ReadonlySet<AddressKind>, learned: LearnedNetwork) =>
  (): ReadonlyArray<NetworkReach> => {
    const proxies = proxiesOf(config)
    return NETWORKS.map((name) => {
      const found = name === "onion" ? learned.onionProxy() : undefined
      const through = name === "i2p" ? config.peers.i2p?.at : proxies[name]
      const given = through === undefined ? "" : printProxyPlace(through)
      return {
        name,
        isReachable: reachable.has(name),
        proxy: found === undefined ? given : endpointText(found),
        isIsolated: found !== undefined || (config.peers.isolateStreams && given !== "" && name !== "i2p")
      }
    })
  }
