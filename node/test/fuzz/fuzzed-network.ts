import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type Accept, DialError, type Transport } from "../../src/p2p/transport/transport.ts"
import { connectTo, endpointOf, type ScriptedPeer } from "../p2p/peer/scripted-peer.ts"
import { replayNode, type ReplayNode } from "../p2p/transcripts/replay-node.ts"
import { areRecorded } from "../p2p/transcripts/scenarios.ts"

/** A whole network layer on a chain of this thread, and a way to be its peers. */
export interface FuzzedNetwork {
  readonly node: ReplayNode
  readonly connect: (address: number) => ScriptedPeer
  readonly stop: () => Promise<void>
}

/** Passes the listener to those that connect within the process. */
const innerTransport = (): { readonly transport: Transport; readonly accept: () => Accept } => {
  let accepting: Accept | undefined
  return {
    accept: () => accepting!,
    transport: {
      name: "inner",
      dial: () => Effect.fail(new DialError({ message: "no node is there", isProxy: false })),
      listen: (bind, accept) =>
        Effect.sync(() => {
          accepting = accept
          return { ...bind, port: 1 }
        })
    }
  }
}

const startNetwork = async (): Promise<FuzzedNetwork> => {
  const scope = Scope.makeUnsafe()
  const { accept, transport } = innerTransport()
  const node = await Effect.runPromise(
    Scope.provide(
      replayNode({ transport, isEmpty: !areRecorded, servesBloomFilters: true, relaysPackages: true }),
      scope
    )
  )
  const host = { take: (connection: Parameters<Accept>[0]) => accept()(connection) }
  return {
    node,
    connect: (address) => connectTo(host, REGTEST.magic, "inbound", endpointOf(127, 0, 0, 1 + (address % 250))),
    stop: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

let running: Promise<FuzzedNetwork> | undefined

/** Starts the network layer of this thread, unless it runs; answers how to stop it. */
export const prepareNetwork = async (): Promise<() => Promise<void>> => {
  running ??= startNetwork()
  const { stop } = await running
  return async () => {
    running = undefined
    await stop()
  }
}

/** The network layer of this thread, which was prepared. */
export const networkOfThisThread = (): Promise<FuzzedNetwork> => {
  if (running === undefined) throw new Error("the target was not prepared")
  return running
}
