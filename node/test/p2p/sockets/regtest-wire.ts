import { nativeHashes } from "@lockstep/crypto/hash/native-hashes.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import type { Message, MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { encodeFrame, frameOf } from "@lockstep/protocol/wire/frame.ts"
import { userAgentBytes } from "@lockstep/protocol/wire/user-agent.ts"

/** What a scripted peer on a real socket hashes with. */
export const wireCrypto = { ...nobleCrypto, ...nativeHashes().hashes }

export const MAGIC = REGTEST.magic

const NOWHERE = { services: 0n, address: { network: AddressNetwork.IPV6, bytes: new Uint8Array(16) }, port: 0 }

/** NETWORK and WITNESS. */
export const SERVICES = 9n

/** A `version` as an ordinary full node sends it. */
export const versionAs = (
  name: string,
  nonce: bigint,
  startHeight = 0,
  services = SERVICES
): MessageOf<"version"> => ({
  command: "version",
  version: 70_016,
  services,
  time: BigInt(Math.floor(Date.now() / 1_000)),
  receiver: NOWHERE,
  sender: { from: NOWHERE, nonce },
  userAgent: userAgentBytes(`/${name}/`),
  startHeight,
  relay: 1
})

export const framed = (message: Message): Uint8Array => frameOf(MAGIC, message, wireCrypto)

export const framedPayload = (command: string, payload: Uint8Array): Uint8Array =>
  encodeFrame(MAGIC, command, payload, wireCrypto)
