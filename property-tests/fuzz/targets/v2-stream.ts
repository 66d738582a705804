import { fastestTransportCrypto } from "@lockstep/crypto/transport/transport-crypto.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import type { PeerTransport } from "@lockstep/protocol/wire/peer-transport.ts"
import { sessionKeys } from "@lockstep/protocol/wire/v2-transport/key-schedule.ts"
import { typeBytes } from "@lockstep/protocol/wire/v2-transport/message-type.ts"
import { sealPacket } from "@lockstep/protocol/wire/v2-transport/packet-cipher.ts"
import type { TransportCrypto } from "@lockstep/protocol/wire/v2-transport/transport-crypto.ts"
import { v2Transport } from "@lockstep/protocol/wire/v2-transport/v2-transport.ts"
import { join } from "../../src/oracles/byte-string.ts"
import type { Random } from "../random.ts"
import type { Seeds } from "../target.ts"

const machine = fastestTransportCrypto()

/** Keys are the same for all inputs, so that what they cost is paid once. */
const remembered = <A extends ReadonlyArray<unknown>>(
  ask: (...given: A) => Uint8Array
): (...given: A) => Uint8Array => {
  const known = new Map<string, Uint8Array>()
  return (...given) => {
    const key = given.map(String).join("/")
    const found = known.get(key) ?? ask(...given)
    if (known.size < 1_000) known.set(key, found)
    return new Uint8Array(found)
  }
}

const crypto: TransportCrypto = {
  ...machine,
  encodePublicKey: remembered(machine.encodePublicKey),
  sharedSecret: remembered(machine.sharedSecret)
}

/** The responder that every input is given to, with what it sends first. */
export const responder = (sent: Array<Uint8Array> = []): PeerTransport =>
  v2Transport({
    magic: REGTEST.magic,
    crypto: nobleCrypto,
    limits: DEFAULT_LIMITS,
    transportCrypto: crypto,
    random: { below: () => 0, bytes: (count) => new Uint8Array(count).fill(0x17) },
    isInitiator: false,
    output: { bytes: (bytes) => void sent.push(new Uint8Array(bytes)), message: () => undefined }
  })

const keyOfResponder = (): Uint8Array => {
  const sent: Array<Uint8Array> = []
  const transport = responder(sent)
  transport.feed(Uint8Array.of(0))
  transport.read()
  return sent[0]!.subarray(0, 64)
}

const THEIR_KEY = keyOfResponder()
const PRIVATE_KEY = new Uint8Array(32).fill(0x29)
const OWN_KEY = crypto.encodePublicKey(PRIVATE_KEY, new Uint8Array(32))

const lengthOfGarbage = (random: Random): number =>
  random.oneIn(6) ? 4_090 + random.below(12) : random.oneIn(2) ? 0 : random.below(300)

const contentsOf = (random: Random, { messages }: Seeds): Uint8Array => {
  const { command, payload } = random.pick(messages)
  if (random.oneIn(8)) return random.bytes(random.below(20))
  return join(typeBytes(random.oneIn(8) ? "unknown" : command), payload.subarray(0, 2_000))
}

/** What a peer sends that knows the transport: key, garbage, terminator, version packet, messages and decoys. */
export const streamOf = (random: Random, seeds: Seeds): Uint8Array => {
  const secret = crypto.sharedSecret(PRIVATE_KEY, OWN_KEY, THEIR_KEY, true)
  const { ownTerminator, sending } = sessionKeys(crypto, REGTEST.magic, secret, true)
  const garbage = random.bytes(lengthOfGarbage(random))
  const packet = (contents: Uint8Array, additional: Uint8Array = new Uint8Array(0)): Uint8Array => {
    const header = Uint8Array.of(random.oneIn(5) ? 0x80 : random.below(128))
    return join(...sealPacket(sending, [header, contents], contents.length, additional))
  }
  const packets = Array.from({ length: random.oneIn(10) ? 240 : 1 + random.below(6) }, () => contentsOf(random, seeds))
  return join(
    OWN_KEY,
    garbage,
    ownTerminator,
    packet(random.bytes(random.below(30)), garbage),
    ...packets.map((each) => packet(each))
  )
}
