import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { PeerPermissions } from "../../../src/net/peer-permissions.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import type { DandelionSettings } from "../../../src/p2p/relay/dandelion/stem-relay.ts"
import { makeRelay, type Relay } from "../../../src/p2p/relay/relay.ts"
import { connectTo, type ScriptedPeer, settle, shakeHands, usualVersion } from "../peer/scripted-peer.ts"
import { stillChain } from "../peer/still-chain.ts"
import { testHost } from "../peer/test-host.ts"
import { pooled } from "./pool-transaction.ts"

/** A node whose relay is real and whose chain stands still. */
export const makeNode = Effect.fnUntraced(
  function*(
    options: {
      readonly wantsTransactions?: boolean
      readonly takesNonStandard?: boolean
      readonly isTrusted?: boolean
      readonly permissions?: PeerPermissions
      readonly services?: bigint
      readonly dandelion?: DandelionSettings
      readonly relaysPackages?: boolean
    } = {}
  ) {
    const chain = stillChain()
    const blocks: Array<string> = []
    const { relaysPackages = false, wantsTransactions = true } = options
    const pool = { rate: 0 }
    let relay: Relay | undefined
    const host = yield* testHost({
      chain,
      versionInfo: { wantsTransactions, relaysPackages },
      ...options.services !== undefined && { services: () => options.services! },
      host: {
        trusts: () => options.isTrusted ?? false,
        permits: ({ inbound }) => (inbound ? options.permissions : undefined) ?? new Set()
      },
      parts: (context) =>
        Effect.map(
          makeRelay(context, {
            blocksAnnounced: (_peer, hashes) => void blocks.push(...hashes.map((hash) => `announced ${hash[0]}`)),
            blocksNotFound: (_peer, hashes) => void blocks.push(...hashes.map((hash) => `missing ${hash[0]}`)),
            wantsTransactions,
            takesNonStandard: options.takesNonStandard,
            dandelion: options.dandelion,
            relaysPackages,
            wantedFeerate: { pool: () => pool.rate, least: 100n }
          }),
          (made) => {
            relay = made
            return [made.part]
          }
        )
    })
    /** A transaction enters the mempool and is announced to all. */
    const enter = (bytes: Uint8Array, fee?: bigint) => {
      const transaction = pooled(bytes, fee)
      chain.pool(transaction)
      chain.notify("transactionAdded", transaction, true)
      return transaction
    }
    /**
     * Judges as an engine would to whom these are the parents that count: a child is an orphan until they are in the
     * pool.
     */
    const judgeByParents = (parentsOf: (bytes: Uint8Array) => ReadonlyArray<Uint8Array>) =>
      chain.judge((bytes) => {
        const parents = parentsOf(bytes).filter((parent) => !chain.poolByTxid.has(hex(parent)))
        if (parents.length > 0) return { _tag: "MissingInputs", parents }
        enter(bytes)
        return { _tag: "Accepted" }
      })
    return { chain, blocks, pool, relay: relay!, enter, judgeByParents, ...host }
  }
)

export type TestNode = Effect.Success<ReturnType<typeof makeNode>>

/** A peer after the handshake. */
export const peerOf = Effect.fnUntraced(function*(
  { host, magic, pass }: TestNode,
  { kind = "inbound", relay = 1, services = usualVersion.services, wtxid = true }: {
    readonly kind?: PeerKind
    readonly relay?: number
    readonly wtxid?: boolean
    readonly services?: bigint
  } = {}
) {
  const peer = connectTo(host, magic, kind)
  if (wtxid) yield* shakeHands(peer, { ...usualVersion, relay, services })
  else {
    peer.say({ ...usualVersion, relay, services }, { command: "verack" })
    yield* settle
  }
  pass(100)
  peer.news()
  return peer
})

/** Lets time pass until the peer has news of this kind; answers how many milliseconds. Ten minutes are too many. */
export const passUntil = ({ pass }: TestNode, peer: ScriptedPeer, command: string): number => {
  for (let waited = 0; waited <= 600_000; waited += 100) {
    if (peer.news().includes(command)) return waited
    pass(100)
  }
  throw new Error(`${command} never came`)
}

/** What the last such message names, as `type:hash`. */
export const hashesOf = (peer: ScriptedPeer, command: "inv" | "getdata"): ReadonlyArray<string> =>
  peer.last(command).inventory.map(({ hash, type }) => `${type}:${Buffer.from(hash).toString("hex")}`)

/** All that a peer was ever asked for, as `type:hash`. */
export const askedOf = ({ received }: ScriptedPeer): ReadonlyArray<string> =>
  received.filter(({ command }) => command === "getdata").flatMap(({ payload }) => {
    const decoded = decodeMessage("getdata", payload)
    if (Result.isFailure(decoded)) throw new Error("the node sent a getdata that is none")
    return decoded.success.message.inventory.map(({ hash, type }) => `${type}:${hex(hash)}`)
  })

export const hex = (hash: Uint8Array): string => Buffer.from(hash).toString("hex")
