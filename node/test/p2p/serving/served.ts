import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import type { PeerPermissions } from "../../../src/net/peer-permissions.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import { type Serving, serving, type ServingOptions } from "../../../src/p2p/serving/serving.ts"
import { connectTo, shakeHands } from "../peer/scripted-peer.ts"
import { hollowBlock, type StillChain, stillChain } from "../peer/still-chain.ts"
import { testHost } from "../peer/test-host.ts"
import { compactForms } from "../../../src/p2p/sync/compact-blocks/compact-forms.ts"

const { NETWORK, NETWORK_LIMITED, WITNESS } = ServiceFlag

const ZERO: Uint8Array = new Uint8Array(32)

/** The part that serves, which notifies no other part unless the options say so. */
export const servingOf = (context: P2pContext, options: Partial<ServingOptions> = {}) =>
  Effect.map(compactForms(context), (forms) =>
    serving(context, {
      forms,
      headersSent: () => undefined,
      transactionFor: () => Effect.succeed(undefined),
      isAnnouncedTo: () => false,
      relaysTo: () => true,
      filterOf: () => undefined,
      announcePool: () => undefined,
      uploadTarget: 0,
      ...options
    }))

interface Options {
  readonly blocks?: number
  /** Runs when the chain is asked to wait for blocks that are being verified. */
  readonly verified?: (chain: StillChain) => void
  readonly services?: bigint
  readonly serving?: Partial<ServingOptions>
  readonly isTrusted?: boolean
  readonly permissions?: PeerPermissions
}

/** A node with a chain of hollow blocks, and a peer that is ready. */
export const served = Effect.fnUntraced(function*(options: Options = {}) {
  const chain = stillChain()
  for (let i = 0; i < (options.blocks ?? 20); i++) chain.extend(hollowBlock(chain.tree.tip))
  const { verified } = options
  const waits = verified === undefined ? {} : { blocksConnected: Effect.sync(() => verified(chain)) }
  const sent: Array<number> = []
  let part: Serving | undefined
  const host = yield* testHost({
    chain: { ...chain, ...waits },
    host: { trusts: () => options.isTrusted ?? false, permits: () => options.permissions ?? new Set() },
    start: chain.tree.tip.header.time * 1_000,
    services: () => options.services ?? (NETWORK | WITNESS | NETWORK_LIMITED),
    parts: (context) =>
      Effect.gen(function*() {
        part = yield* servingOf(context, {
          headersSent: (_peer, node) => void sent.push(node.height),
          announcePool: () => void sent.push(-1),
          ...options.serving
        })
        return [part]
      })
  })
  const peer = connectTo(host.host, host.magic)
  yield* shakeHands(peer)
  const at = (height: number): HeaderIndexNode => chain.tree.nodes[height]!
  return { ...host, chain, peer, sent, at, serving: part! }
})

export const getheaders = (locator: ReadonlyArray<Uint8Array>, stop: Uint8Array = ZERO) => ({
  command: "getheaders" as const,
  version: 70_016,
  locator,
  stop
})

export const getblocks = (locator: ReadonlyArray<Uint8Array>, stop: Uint8Array = ZERO) => ({
  command: "getblocks" as const,
  version: 70_016,
  locator,
  stop
})

export const getdata = (...inventory: ReadonlyArray<readonly [number, Uint8Array]>) => ({
  command: "getdata" as const,
  inventory: inventory.map(([type, hash]) => ({ type, hash }))
})
