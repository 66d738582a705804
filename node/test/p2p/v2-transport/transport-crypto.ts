import { nodeCiphers } from "@lockstep/crypto/transport/node-ciphers.ts"
import { ellSwiftProviders } from "@lockstep/crypto/transport/select-ellswift.ts"
import type { TransportCrypto } from "@lockstep/protocol/wire/v2-transport/transport-crypto.ts"

/** Everything of this machine that the v2 transport can run on. */
export const transportCryptos: ReadonlyArray<{ readonly name: string; readonly crypto: TransportCrypto }> =
  ellSwiftProviders().map(({ detail, ellSwift }) => ({ name: detail, crypto: { ...nodeCiphers, ...ellSwift } }))

export const testTransportCrypto = transportCryptos[0]!.crypto
