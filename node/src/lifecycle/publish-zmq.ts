import { nativeHashes } from "@lockstep/crypto/hash/native-hashes.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import type { Notifier } from "@lockstep/zmq"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { NodeConfig } from "../config/config.ts"
import type { Chain } from "../engine-client/chain.ts"
import { nodeBlockReader } from "../storage/block-files/node-block-reader.ts"
import { publishChain } from "../zmq/publish-chain.ts"

/** Publishes through ZeroMQ according to the configuration until the scope closes. Returns the active notifiers. */
export const publishZmq = Effect.fnUntraced(function*(
  config: NodeConfig,
  chain: Chain["Service"]
): Effect.fn.Return<ReadonlyArray<Notifier>, never, Scope.Scope> {
  const { network, standIn } = config
  if (standIn === undefined || standIn.notifiers.length === 0) return []
  const crypto = { ...nobleCrypto, ...nativeHashes().hashes }
  const blocks = yield* nodeBlockReader(config, networkWith(network, standIn.changes), crypto)
  return yield* publishChain({ chain, blocks, crypto }, standIn.notifiers)
})
