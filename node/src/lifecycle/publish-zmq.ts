import { nativeHashes } from "@lockstep/crypto/hash/native-hashes.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import type { Notifier } from "@lockstep/zmq"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { NodeConfig } from "../config/config.ts"
import type { Chain } from "../engine-client/chain.ts"
import { blockReader } from "../storage/block-files/block-reader.ts"
import { layoutOf } from "../storage/data-directory/layout.ts"
import { nodeDisk } from "../storage/disk/node-disk.ts"
import { publishChain } from "../zmq/publish-chain.ts"

/** Publishes through ZeroMQ what the configuration asks for, until the scope closes; answers what is published. */
export const publishZmq = Effect.fnUntraced(function*(
  config: NodeConfig,
  chain: Chain["Service"]
): Effect.fn.Return<ReadonlyArray<Notifier>, never, Scope.Scope> {
  const { dataDirectory, network, standIn, storage: { coreBlocks } } = config
  if (standIn === undefined || standIn.notifiers.length === 0) return []
  const crypto = { ...nobleCrypto, ...nativeHashes().hashes }
  const blocks = yield* blockReader({
    disk: nodeDisk("block-files"),
    directory: layoutOf(dataDirectory, standIn).blocks,
    coreBlocks,
    magic: networkWith(network, standIn.changes).magic,
    crypto
  })
  return yield* publishChain({ chain, blocks, crypto }, standIn.notifiers)
})
