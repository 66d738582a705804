import { blockScriptFlags } from "@lockstep/kernel/deployment"
import * as Effect from "effect/Effect"
import type { DeploymentFacts } from "../api/chain-calls.ts"
import type { Handlers } from "../api/handler.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { nodeOf } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import type { Writer } from "../chainstate/writer.ts"
import { chainWindow } from "./chain-window.ts"
import { coinBlock } from "./coin-block.ts"
import { networkWork } from "./network-work.ts"
import { signalledDeployments } from "../deployments/signalled-deployments.ts"

export type Queries = Handlers<"chainWindow" | "coinBlock" | "deployments" | "networkWork">

/** The rules in force for a block, and the states of signalled deployments. */
const deploymentFacts = ({ network, parameters }: ChainEngine, node: HeaderIndexNode): DeploymentFacts => ({
  hash: node.hash.slice(),
  height: node.height,
  flags: blockScriptFlags(node.hash, node.height, parameters),
  heights: parameters.heights,
  signalled: signalledDeployments(node, network)
})

/** Queries about the chain. */
export const chainQueries = (engine: ChainEngine, writer: Writer): Queries => ({
  deployments: ({ hash }) =>
    Effect.sync(() => {
      const node = hash === undefined ? engine.tree.tip : nodeOf(engine.tree, hash)
      return node && deploymentFacts(engine, node)
    }),
  chainWindow: (input) => Effect.suspend(() => Effect.fromResult(chainWindow(engine, input))),
  networkWork: (input) => networkWork(engine, input),
  coinBlock: ({ txid }) => writer.alone(coinBlock(engine, txid))
})
