import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { FILE_KEYS } from "../../src/config/catalogue.ts"
import { inPlace, problemsOf } from "./loading.ts"

const problemOf = (text: string) =>
  inPlace((place) => {
    const head = text.startsWith("transport_preference") ? "" : "transport_preference = \"tcponly\"\n"
    place.write("work/node.toml", head + text)
    return Effect.map(problemsOf(place.request()), (problems) => problems.join("\n"))
  })

describe("a word that a choice does not have", () => {
  it.effect.each<readonly [text: string, near: string]>([
    ["protocol_version = \"mainnet\"", "BitcoinV1"],
    ["protocol_version = \"BitcoinV2\"", "BitcoinV1"],
    ["protocol_version = \"testnet\"", "Testnet3"],
    ["protocol_version = \"regtest\"", "Regtest"],
    ["transport_preference = \"tcp\"", "tcponly"],
    ["transport_preference = \"tcp_only\"", "tcponly"],
    ["transport_preference = \"quic\"", "quinnonly"],
    ["[storage]\ndatabase_backend = \"lmdb\"", "heed3"],
    ["[storage]\ndatabase_backend = \"level\"", "leveldb"],
    ["[storage]\ndatabase_backend = \"rocks\"", "rocksdb"],
    ["[storage.pruning]\nmode = \"manaul\"", "manual"],
    ["[logging]\nlevel = \"inof\"", "info"],
    ["[logging.categories]\nrpc = \"debgu\"", "debug"],
    ["[ibd]\neviction = \"fifi\"", "fifo"],
    ["[rbf]\nmode = \"agressive\"", "aggressive"],
    ["[connections]\nonlynet = [\"ipv4\", \"tor\", \"onoin\"]", "onion"]
  ])("%s is refused with the nearest one, %s", ([text, near]) =>
    Effect.gen(function*() {
      const found = yield* problemOf(text)
      if (near === "onion") assert.match(found, /expected a list/)
      else assert.include(found, `; did you mean "${near}"?`)
    }))

  it.effect("is refused without a guess where none is near, and without an echo where it is secret", () =>
    Effect.gen(function*() {
      assert.notInclude(yield* problemOf("protocol_version = \"completely different\""), "did you mean")
      assert.notInclude(yield* problemOf("[rpc_auth]\npassword = 5"), "did you mean")
    }))

  it("is of a choice whose words the schema knows, for every key that expects one of some words", () => {
    for (const { facts, name } of FILE_KEYS) {
      const isChoice = /^"\w+"(?:,| or) |^one of /.test(facts.expects) && name !== "validation.assume_valid"
      if (isChoice) assert.isNotEmpty(facts.shape.words ?? [], name)
    }
  })
})

describe("a key that a table does not have", () => {
  it.effect.each<readonly [text: string, near: string]>([
    ["[storage]\nprune = 10000", "[storage.pruning].target_mb"],
    ["prune = 10000", "[storage.pruning].target_mb"],
    ["[storage]\ntxindex = true", "[storage.indexing].txindex"],
    ["dbcache = 1000", "[storage].dbcache_mb"],
    ["[mempool]\nmaxmempool = 300", "[mempool].max_mempool_mb"],
    ["[storage]\ndbcahce_mb = 1000", "[storage].dbcache_mb"]
  ])("%s is refused with the key that is meant, %s", ([text, near]) =>
    Effect.gen(function*() {
      assert.include(yield* problemOf(text), `did you mean ${near}?`)
    }))
})
