import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import type { Message, MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { userAgentBytes } from "@lockstep/protocol/wire/user-agent.ts"
import { usualVersion } from "../peer/scripted-peer.ts"
import type { CoreLink } from "./core-link.ts"
import { type CoreState, drop, say } from "./core-state.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"

const VERSION = 70_016
const HANDSHAKE_MS = 60_000
const SILENCE_MS = 20 * 60_000
const PING_MS = 2 * 60_000

/** `RejectIncomingTxs`. */
export const refusesTransactions = ({ traits }: CoreState, { kind }: CoreLink): boolean =>
  kind === "block-relay-only" || traits.isBlocksOnly

export const sayVersion = (core: CoreState, link: CoreLink): void =>
  say(link, {
    ...usualVersion,
    version: VERSION,
    services: core.traits.services,
    time: BigInt(Math.floor(core.environment.now() / 1_000)),
    userAgent: userAgentBytes("/Satoshi:31.0.0/"),
    startHeight: core.chain.tree.tip.height,
    relay: refusesTransactions(core, link) ? 0 : 1
  })

/** `ExpectServicesFromConn` and what is expected. */
const isUseless = ({ chain, environment }: CoreState, { kind }: CoreLink, services: bigint): boolean => {
  if (kind === "inbound" || kind === "manual") return false
  const behind = (environment.now() / 1_000 - chain.tree.tip.header.time) / REGTEST.parameters.work.targetSpacing
  const isLimitedEnough = offers(services, ServiceFlag.NETWORK_LIMITED) && behind < 144
  return !offers(services, ServiceFlag.WITNESS | (isLimitedEnough ? ServiceFlag.NETWORK_LIMITED : ServiceFlag.NETWORK))
}

const takeVersion = (core: CoreState, link: CoreLink, message: MessageOf<"version">): void => {
  if (link.hello !== undefined) return void core.oddities.push("a second version")
  if (isUseless(core, link, message.services)) return drop(core, link, "peer does not offer the expected services")
  if (message.version < 31_800) return drop(core, link, "peer using obsolete version")
  link.hello = message
  if (link.kind === "inbound") sayVersion(core, link)
  if (message.version >= VERSION) {
    say(link, { command: "wtxidrelay" })
    say(link, { command: "sendaddrv2" })
  }
  say(link, { command: "verack" })
  if (link.kind === "manual" || link.kind === "outbound-full-relay") say(link, { command: "getaddr" })
}

const takeVerack = (core: CoreState, link: CoreLink): void => {
  if (link.isReady) return void core.oddities.push("a second verack")
  say(link, { command: "sendcmpct", announce: false, version: 2n })
  link.isReady = true
}

/** What is received from `version` on; answers whether the message is of that kind. */
const takeEarly = (core: CoreState, link: CoreLink, message: Message): boolean => {
  switch (message.command) {
    case "verack":
      takeVerack(core, link)
      return true
    case "sendheaders":
      link.prefersHeaders = true
      return true
    case "sendcmpct":
      link.providesCompact ||= message.version === 2n
      if (message.version === 2n) link.wantsCompactFirst = message.announce
      return true
    case "wtxidrelay":
    case "sendaddrv2":
      if (link.isReady) drop(core, link, `${message.command} received after verack`)
      link.wtxidRelay ||= message.command === "wtxidrelay"
      return true
    default:
      return false
  }
}

/** What belongs to the session; answers whether the message did. */
export const takeSessionMessage = (core: CoreState, link: CoreLink, message: Message): boolean => {
  if (message.command === "version") takeVersion(core, link, message)
  else if (link.hello === undefined) core.oddities.push(`${message.command} before version`)
  else if (takeEarly(core, link, message)) return true
  else if (!link.isReady) core.oddities.push(`${message.command} prior to verack`)
  else if (message.command === "ping") say(link, { command: "pong", nonce: message.nonce ?? 0n })
  else if (message.command !== "pong") return false
  else if (message.nonce === link.pingNonce) link.pingNonce = 0n
  else core.oddities.push("a pong to no ping")
  return true
}

/** Pings, and lets go of who does not finish the handshake or does not answer. */
export const keepSession = (core: CoreState, link: CoreLink): void => {
  const now = core.environment.now()
  if (!link.isReady) {
    if (now > link.connectedAt + HANDSHAKE_MS) drop(core, link, "version handshake timeout")
    return
  }
  if (link.pingNonce !== 0n && now > link.pingAt + SILENCE_MS) return drop(core, link, "ping timeout")
  if (link.pingNonce !== 0n || now <= link.pingAt + PING_MS) return
  link.pingNonce = BigInt(core.environment.random.below(2 ** 40)) + 1n
  link.pingAt = now
  say(link, { command: "ping", nonce: link.pingNonce })
}
