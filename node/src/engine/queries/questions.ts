import * as Effect from "effect/Effect"
import type { Handlers } from "../calls/handlers.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { generate } from "../generate.ts"
import { nodeOf } from "../header-tree/header-tree.ts"
import type { Writer } from "../writer.ts"
import { chainWindow } from "./chain-window.ts"
import { coinBlock } from "./coin-block.ts"
import { deploymentFacts } from "./deployment-facts.ts"
import { networkWork } from "./network-work.ts"
import { nextBlock } from "./next-block.ts"

type Questions = Pick<Handlers, "chainWindow" | "coinBlock" | "deployments" | "generate" | "networkWork" | "nextBlock">

/** Answers to what is asked of the chain and of the block that comes next, and the block itself. */
export const questionsOf = (engine: ChainEngine, writer: Writer): Questions => {
  let assembled = false
  return {
    deployments: ({ hash }) =>
      Effect.sync(() => {
        const node = hash === undefined ? engine.tree.tip : nodeOf(engine.tree, hash)
        return node && deploymentFacts(engine, node)
      }),
    chainWindow: (input) => Effect.suspend(() => Effect.fromResult(chainWindow(engine, input))),
    networkWork: (input) => networkWork(engine, input),
    nextBlock: ({ assemble }) =>
      Effect.sync(() => {
        assembled ||= assemble
        return { ...nextBlock(engine), assembled }
      }),
    generate: (request) => {
      assembled = true
      return writer.change(generate(engine, request))
    },
    coinBlock: ({ txid }) => writer.alone(coinBlock(engine, txid))
  }
}
