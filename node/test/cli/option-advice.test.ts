import { assert, describe, it } from "@effect/vitest"
import { insteadOf, oneDashFault } from "../../src/cli/option-advice.ts"

describe("an option that does not exist", () => {
  it.each([
    ["--netwrok", "--network"],
    ["--datadir", "--data-dir"],
    ["--listen", "--listen-addr"],
    ["--regtest", "--network regtest"],
    ["--chain=regtest", "--network NAME"],
    ["--rpcport=1", "--rpc-addr"],
    ["--prune=550", "--set storage.pruning.target_mb=N"],
    ["--log-level", "--set logging.level=VALUE"],
    ["--dbcache_mb", "--set storage.dbcache_mb=VALUE"],
    ["--txindex", "--set storage.indexing.txindex=VALUE"],
    ["--max-mempool-mb", "--set mempool.max_mempool_mb=VALUE"]
  ])("%s gets the advice to type %s", (option, instead) => assert.strictEqual(insteadOf(option), instead))

  it.each(["--foo", "--toString", "--"])(
    "%s gets no advice where nothing is near",
    (option) => assert.isUndefined(insteadOf(option))
  )
})

describe("an option with one dash before a word", () => {
  it.each([
    ["-regtest", /^unknown option -regtest; did you mean --network regtest\?/],
    ["start -datadir=/tmp/x", /^unknown option -datadir; did you mean --data-dir\?/],
    ["-server=1", /^unknown option -server/]
  ])("%s is refused as one of Bitcoin Core's", (line, says) => assert.match(oneDashFault(line.split(" "))![0]!, says))

  it.each(["-v start", "-n regtest", "-vh", "rpc getblockhash -- -regtest", "rpc getblockhash -1", "--network=x"])(
    "%j has none",
    (line) => assert.isUndefined(oneDashFault(line.split(" ")))
  )
})
