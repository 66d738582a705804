import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import { makePeerHost, type PeerHostOptions } from "../../../src/p2p/peer/make-peer-host.ts"
import type { Peer } from "../../../src/p2p/peer/peer.ts"
import type { PeerPart } from "../../../src/p2p/peer/peer-part.ts"
import type { OwnVersionInfo } from "../../../src/p2p/peer/session/own-version.ts"
import { session } from "../../../src/p2p/peer/session/session.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import type { TraceEvent } from "../../../src/runtime/trace.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

export interface TestHostOptions {
  readonly chain: P2pChain
  readonly parts?: (context: P2pContext) => Effect.Effect<ReadonlyArray<PeerPart>, never, Scope.Scope>
  readonly versionInfo?: Partial<OwnVersionInfo>
  readonly services?: () => bigint
  readonly host?: Partial<PeerHostOptions>
  readonly start?: number
  readonly seed?: number
}

/** A line of the log, or an event. */
export interface Observed {
  readonly what: string
  readonly about: Readonly<Record<string, unknown>>
}

/** A network layer of a few parts, whose clock stands until a test sets it. */
export const testHost = Effect.fnUntraced(function*(options: TestHostOptions) {
  const peers = new Map<number, Peer>()
  const clock = { now: options.start ?? 1_700_193_573_000 }
  const events: Array<Observed> = []
  const lines: Array<Observed> = []
  const discouraged: Array<string> = []
  const happenings: Array<TraceEvent> = []
  const totals = { received: 0, sent: 0 }
  const context: P2pContext = {
    network: REGTEST,
    crypto: testCrypto,
    limits: DEFAULT_LIMITS,
    environment: { now: () => unixMilliseconds(clock.now), random: seededRandom(options.seed ?? 7) },
    chain: options.chain,
    peers,
    notify: {
      event: (type, payload) => void events.push({ what: type, about: payload as Observed["about"] }),
      log: (level, message, fields) => void lines.push({ what: `${level}: ${message}`, about: fields ?? {} }),
      trace: (happening) => void happenings.push(happening)
    },
    services: options.services ?? (() => 1n | (1n << 3n) | (1n << 10n))
  }
  const talk = session(context, { userAgent: "/Lockstep:0.0.0/", wantsTransactions: true, ...options.versionInfo })
  const parts = [talk, ...(options.parts === undefined ? [] : yield* options.parts(context))]
  const host = yield* makePeerHost({
    context,
    peers,
    totals,
    parts,
    connected: talk.connected,
    discouraged: (peer) => void discouraged.push(peer.name),
    ...options.host
  })
  yield* host.startTicks([])
  /** Lets time pass in steps of a tick, as the parts see it. */
  const pass = (milliseconds: number, step = 100): void => {
    for (const end = clock.now + milliseconds; clock.now < end;) {
      clock.now = Math.min(end, clock.now + step)
      for (const part of parts) {
        part.tickAll?.(unixMilliseconds(clock.now))
        for (const peer of peers.values()) {
          if (peer.isReady && !peer.isGone) part.tick?.(peer, unixMilliseconds(clock.now))
        }
      }
    }
  }
  const received = { events, lines, happenings, discouraged }
  return { host, context, peers, totals, clock, pass, ...received, session: talk, magic: REGTEST.magic }
})
