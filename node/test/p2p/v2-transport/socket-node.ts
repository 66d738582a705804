import * as Effect from "effect/Effect"
import { systemEnvironment } from "../../../src/p2p/basics/system-environment.ts"
import { tcpTransport } from "../../../src/p2p/transport/tcp/tcp-transport.ts"
import { testLayer } from "../connections/test-layer.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { testTransportCrypto } from "./transport-crypto.ts"

/** A node on real sockets, which makes no connections of itself. */
export const socketNode = (isV2 = true) =>
  Effect.flatMap(systemEnvironment, (environment) =>
    testLayer({
      target: 0,
      options: {
        environment,
        transport: tcpTransport,
        listen: endpoint("127.0.0.1:0"),
        transportCrypto: isV2 ? testTransportCrypto : undefined
      }
    }))
