import { randomBytes, randomInt } from "node:crypto"
import { nativeHashes } from "../../crypto/src/hash/native-hashes.ts"
import { nodeCiphers } from "../../crypto/src/transport/node-ciphers.ts"
import { type EllSwiftProvider, ellSwiftProviders } from "../../crypto/src/transport/select-ellswift.ts"
import { nobleCrypto } from "../../kernel/src/noble.ts"
import { DEFAULT_LIMITS, networkCalled } from "../../protocol/src/index.ts"
import type { PeerTransport, TransportOutput } from "../../protocol/src/wire/peer-transport.ts"
import { v1Transport } from "../../protocol/src/wire/v1-transport.ts"
import { v2Transport } from "../../protocol/src/wire/v2-transport/v2-transport.ts"
import type { BenchRun, BenchSettings } from "../bench.ts"
import { median, race, ratio, type Work } from "../measure.ts"
import type { Row, Target } from "../row.ts"

const crypto = { ...nobleCrypto, ...nativeHashes().hashes }
const { magic } = networkCalled("regtest")!
const random = {
  below: (bound: number) => randomInt(bound),
  bytes: (count: number) => new Uint8Array(randomBytes(count))
}

/** Two ends of a connection within this process. */
interface Pair {
  readonly ends: readonly [PeerTransport, PeerTransport]
  /** Takes what each has sent to the other until there is no more; answers how many messages came. */
  readonly carry: () => number
}

const pair = (make: (output: TransportOutput, isInitiator: boolean) => PeerTransport): Pair => {
  const sent: readonly [Array<Uint8Array>, Array<Uint8Array>] = [[], []]
  const end = (i: 0 | 1): PeerTransport =>
    make({ bytes: (bytes) => void sent[i].push(bytes), message: () => undefined }, i === 0)
  const ends = [end(0), end(1)] as const
  const take = (from: 0 | 1, to: PeerTransport): number => {
    let count = 0
    for (const bytes of sent[from].splice(0)) {
      to.feed(bytes)
      for (let answer = to.read(); answer._tag === "Success" && answer.success !== undefined; answer = to.read()) {
        count++
      }
    }
    return count
  }
  const carry = (): number => {
    let count = 0
    while (sent[0].length + sent[1].length > 0) count += take(0, ends[1]) + take(1, ends[0])
    return count
  }
  for (const each of ends) each.begin()
  carry()
  return { ends, carry }
}

const plainPair = (): Pair => pair((output) => v1Transport({ magic, crypto, limits: DEFAULT_LIMITS, output }))

const encryptedPair = ({ ellSwift }: EllSwiftProvider): Pair =>
  pair((output, isInitiator) =>
    v2Transport({
      magic,
      crypto,
      limits: DEFAULT_LIMITS,
      output,
      isInitiator,
      random,
      transportCrypto: { ...nodeCiphers, ...ellSwift }
    })
  )

const sending = ({ carry, ends: [one] }: Pair, command: string, size: number): Work => {
  const payload = new Uint8Array(size).fill(7)
  return () => {
    one.send(command, payload, false)
    if (carry() !== 1) throw new Error(`${command} did not arrive`)
  }
}

const SIZES = [["ping", 8], ["tx", 400], ["block", 1_000_000]] as const

const MICROSECONDS = 1_000_000
const MOST_FOR_HANDSHAKE = 2_000

/** What the v2 transport costs: a handshake, and messages against v1; processor time of this process. */
export const transportBench = ({ effort, onStep }: BenchSettings): BenchRun => {
  const providers = ellSwiftProviders()
  onStep("shaking hands")
  const shakes = race(providers.map((provider) => () => encryptedPair(provider)), effort)
  const handshakes = providers.map(({ detail }, i): Row => ({
    name: "v2 handshake, each side",
    provider: detail,
    value: median(shakes[i]!) * MICROSECONDS / 2,
    unit: "µs"
  }))
  const messages = SIZES.flatMap(([command, size]): ReadonlyArray<Row> => {
    onStep(`sending ${command}`)
    const [plain, encrypted] = race(
      [sending(plainPair(), command, size), sending(encryptedPair(providers[0]!), command, size)],
      effort
    )
    const name = `${command} of ${size} bytes, sent and read`
    return [
      { name, provider: "v1", value: median(plain!) * MICROSECONDS, unit: "µs" },
      {
        name,
        provider: "v2",
        value: median(encrypted!) * MICROSECONDS,
        unit: "µs",
        ratio: ratio(encrypted!, plain!),
        to: "v1"
      }
    ]
  })
  const target: Target = {
    name: `v2 handshake by ${providers[0]!.detail}, each side, in µs`,
    bound: "at most",
    limit: MOST_FOR_HANDSHAKE,
    ratio: handshakes[0]!.value,
    missing: ""
  }
  return { rows: [...handshakes, ...messages], targets: [target], second: "of processor time" }
}
