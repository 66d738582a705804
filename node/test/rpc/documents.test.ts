import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { documentPages, methodPage } from "../../src/methods/docs/method-page.ts"
import { openRpcText } from "../../src/methods/docs/openrpc.ts"
import { helpText, callSignature } from "../../src/methods/help/help-text.ts"
import type { MethodFacts } from "../../src/methods/definition/method-facts.ts"
import { readJson } from "../../src/json/read-json.ts"
import type { Method } from "../../src/methods/definition/method.ts"
import { METHODS } from "../../src/methods/table.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { exchange } from "./http-exchange.ts"
import { fits } from "./result-fits.ts"
import { testServer } from "./test-server.ts"

const directory = join(import.meta.dirname, "../../../docs/rpc/methods")

const ownHelp = (of: MethodFacts): string => helpText(of, { isStandIn: false })

describe("documents", () => {
  it("are those that `pnpm docs:rpc` makes of the definitions", () => {
    const pages = documentPages(METHODS)
    assert.deepStrictEqual(readdirSync(directory).toSorted(), [...pages.keys()].toSorted())
    for (const [name, page] of pages) assert.strictEqual(readFileSync(join(directory, name), "utf8"), page, name)
  })

  it("report an answer with an undescribed member", () => {
    const { result } = METHODS.get("getindexinfo")!
    const isDescribed = (text: string): boolean => fits(result.ast, readJson(text)!)
    assert.isTrue(isDescribed("{\"txindex\":{\"synced\":true,\"best_block_height\":1}}"))
    assert.isFalse(isDescribed("{\"txindex\":{\"synced\":true,\"best_block_height\":1,\"more\":1}}"))
    assert.isFalse(isDescribed("{\"txindex\":{\"synced\":true}}"))
    assert.isFalse(isDescribed("{\"txindex\":{\"synced\":1,\"best_block_height\":1}}"))
  })

  it.live("help lists every method and explains each", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const ask = (params: string) =>
        Effect.map(
          Effect.promise(() =>
            exchange(address, { body: `{"jsonrpc":"2.0","id":1,"method":"help","params":${params}}` })
          ),
          ({ body }) => JSON.parse(body).result as string
        )
      const list = yield* ask("[]")
      assert.match(
        list,
        /^== Blockchain ==\ndumptxoutset "path" \( "type" options \)\ngetbestblockhash\ngetblock "blockhash" \( verbosity \)\n/
      )
      // Bitcoin Core's groups stand together; what it does not have stands behind them.
      const titles = [...list.matchAll(/^== (.+) ==$/gm)].map(([, title]) => title)
      assert.deepStrictEqual(titles, [
        "Blockchain",
        "Control",
        "Mining",
        "Network",
        "Rawtransactions",
        "Signer",
        "Util",
        "Zmq",
        "Lockstep",
        "Modules"
      ])
      for (const own of ["gethealth", "getmetrics", "getsyncstatus", "rpc.discover"]) {
        assert.isAbove(list.indexOf(`\n${own}`), list.indexOf("== Lockstep =="), own)
      }
      for (const [name, { isHidden = false }] of METHODS) {
        assert.strictEqual(new RegExp(`^${name}( |$)`, "m").test(list), !isHidden, name)
        const text = yield* ask(`["${name}"]`)
        assert.isTrue(text.startsWith(name))
        for (const part of ["\nResult", "\nExamples:\n"]) assert.include(text, part)
      }
      assert.strictEqual(yield* ask("[\"nothing\"]"), "help: unknown command: nothing")
      const conversions = (yield* ask("[\"dump_all_command_conversions\"]")) as unknown as ReadonlyArray<unknown>
      const of = (method: string) => conversions.filter((each) => (each as ReadonlyArray<unknown>)[0] === method)
      assert.deepStrictEqual<unknown>([of("getblock"), of("help"), of("importmempool")], [
        [["getblock", 0, "blockhash", true], ["getblock", 1, "verbosity", false], ["getblock", 1, "verbose", false]],
        [["help", 0, "command", true]],
        [
          ["importmempool", 0, "filepath", true],
          ["importmempool", 1, "options", false],
          ["importmempool", 1, "use_current_time", false],
          ["importmempool", 1, "apply_fee_delta_priority", false],
          ["importmempool", 1, "apply_unbroadcast_set", false]
        ]
      ])
    }))

  it.effect("help has the methods of modules in a group of their own, but not those that answer in place of the node's", () =>
    Effect.gen(function*() {
      const help = METHODS.get("help")! as Method
      const all = [
        { name: "zlast", module: "m", description: "d", isOverride: false },
        { name: "getfirst", module: "m", description: "d", isOverride: false },
        { name: "getblock", module: "m", description: "d", isOverride: true }
      ]
      const modules = () => ({ methods: { all: () => all } })
      const list = String(
        yield* help.call({ command: "" } as never, { isStandIn: false, methods: METHODS, modules } as never)
      )
      const group = list.split("\n\n").find((each) => each.startsWith("== Modules =="))
      const lines = group!.split("\n")
      assert.include(lines, "zlast")
      assert.isBelow(lines.indexOf("getfirst"), lines.indexOf("zlast"))
      assert.isFalse(lines.some((line) => line.startsWith("getblock")))
      assert.strictEqual(list.split("zlast").length, 2)
    }))

  it.effect("help of `bitcoind` has the groups of Bitcoin Core alone, and its client in examples", () =>
    Effect.gen(function*() {
      const help = METHODS.get("help")! as Method
      const ask = (command: string) =>
        help.call({ command } as never, { isStandIn: true, methods: METHODS, modules: () => undefined } as never)
      const list = String(yield* ask(""))
      assert.deepStrictEqual(
        [...list.matchAll(/^== (.+) ==$/gm)].map(([, title]) => title),
        ["Blockchain", "Control", "Mining", "Network", "Rawtransactions", "Signer", "Util", "Zmq"]
      )
      const setban = String(yield* ask("setban"))
      assert.include(
        setban,
        "Examples:\n> bitcoin-cli setban \"192.0.2.1\" \"add\" 86400\n> curl --user myusername --data-binary "
      )
      assert.notInclude(setban, "privileges")
      assert.include(String(yield* ask("getblockcount")), "\n> bitcoin-cli getblockcount\n> curl ")
      assert.include(String(yield* ask("combinepsbt")), "> bitcoin-cli combinepsbt '[\"psbt\",\"psbt\"]'\n")
      // Its own methods are explained to who asks for them.
      assert.match(String(yield* ask("gethealth")), /^gethealth\n/)
    }))

  it("usage shows lists as lists, and hidden parameters nowhere", () => {
    const usages = [
      "addnode \"node\" \"command\" ( v2transport )",
      "combinerawtransaction [\"hexstring\",...]",
      "createmultisig nrequired [\"key\",...] ( \"address_type\" )",
      "prioritisetransaction \"txid\" ( dummy ) fee_delta",
      "generateblock \"output\" [\"rawtx/txid\",...] ( submit )",
      "getblockstats hash_or_height ( stats )",
      "gettxoutproof [\"txid\",...] ( \"blockhash\" )",
      "logging ( [\"include_category\",...] [\"exclude_category\",...] )",
      "scantxoutset \"action\" ( [scanobjects,...] )",
      "testmempoolaccept [\"rawtx\",...] ( maxfeerate )"
    ]
    for (const usage of usages) assert.strictEqual(callSignature(METHODS.get(usage.split(" ")[0]!)!), usage)
    const stop = METHODS.get("stop")!
    assert.property(stop.parameters, "wait")
    assert.strictEqual(callSignature(stop), "stop")
    for (const text of [ownHelp(stop), methodPage(stop)]) assert.notInclude(text, "wait")
    assert.notInclude(openRpcText([stop], "1"), "wait")
  })

  it("help has a list of its own for parameters that go by name alone", () => {
    const [, list] = ownHelp(METHODS.get("importmempool")!).split("\nNamed Arguments:\n")
    assert.match(
      list!,
      /^use_current_time {12}\(boolean, optional\) False: .+\napply_fee_delta_priority {4}\(boolean, optional\) /
    )
    assert.deepStrictEqual(
      [...METHODS.values()].filter((each) => ownHelp(each).includes("Named Arguments")).map(({ name }) => name)
        .toSorted(),
      ["dumptxoutset", "gettxspendingprevout", "importmempool", "scanblocks"]
    )
  })

  it("help names the networks that an address can be in", () => {
    assert.include(ownHelp(METHODS.get("getpeerinfo")!), "(ipv4, ipv6, onion, i2p, cjdns, not_publicly_routable)")
    assert.include(ownHelp(METHODS.get("getnetworkinfo")!), "(ipv4, ipv6, onion, i2p, cjdns)")
  })

  it.live("a call with too many or too few parameters is answered with help", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      for (const params of ["[]", "[1,2]"]) {
        const body = `{"jsonrpc":"2.0","id":1,"method":"getblockhash","params":${params}}`
        const { error } = JSON.parse((yield* Effect.promise(() => exchange(address, { body }))).body)
        assert.strictEqual(error.code, -1)
        assert.isTrue(error.message.startsWith("getblockhash height\n"))
      }
    }))
})
