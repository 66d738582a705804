import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { OPTIONS_BY_NAME } from "../../src/bitcoind/options/option-table.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

/** As a box writes it that runs an explorer and a Lightning daemon beside the node. */
const BOX = `# written by the box
server=1
txindex=1
blockfilterindex=basic
peerblockfilters=1
dbcache=1024
maxmempool=200
maxuploadtarget=2000
datacarriersize=42
mempoolfullrbf=1
disablewallet=1
rpcthreads=8
rpcworkqueue=64
rpcauth=box:5d3f6d2b8e0c4a1f$${"2e4c6a8f".repeat(8)}
rpcallowip=172.16.0.0/12
whitelist=download,addr@172.16.0.0/12
zmqpubrawblock=tcp://127.0.0.1:28332
proxy=127.0.0.1:9050
onlynet=onion
listenonion=0
upnp=1
debug=tor

[main]
rpcbind=127.0.0.1
bind=127.0.0.1:8333
bind=127.0.0.1:8334=onion

[regtest]
rpcbind=127.0.0.1
bind=127.0.0.1:18555
rpcport=18999
`

/** Names and values of lines that hold for a chain. */
const linesFor = (text: string, chain: string): ReadonlyArray<readonly [name: string, value: string]> => {
  let section = ""
  return text.split("\n").flatMap((line) => {
    section = /^\[(\w+)\]$/.exec(line.trim())?.[1] ?? section
    const [, name, value] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    return name === undefined || (section !== "" && section !== chain) ? [] : [[name, value!] as const]
  })
}

/** Lines that neither have an effect nor are named with the reason. */
const silentLines = (text: string, chain: string): ReadonlyArray<string> => {
  home.write("bitcoin.conf", text)
  const words = text.includes("chain=") ? [] : [chain === "main" ? "-chain=main" : `-${chain}`]
  const given = Result.getOrThrowWith(home.read(...words), (message) => new Error(message))
  const plan = home.plan(...words)
  if (Result.isFailure(plan)) throw new Error(plan.failure.problems.join("; "))
  const said = [...given.warnings, ...plan.success.notices]
  return linesFor(text, chain).flatMap(([name, value]) => {
    const option = OPTIONS_BY_NAME.get(name)
    const isInert = option?.inert?.includes(value) === true
    const isDone = option?.state === "implemented" || isInert
    return isDone || said.some((line) => line.includes(name)) ? [] : [`${name}=${value}`]
  })
}

describe("the bitcoin.conf of a node box", () => {
  it.each(["main", "regtest"])("starts on %s, and the log names every line that is without effect", (chain) => {
    assert.deepStrictEqual(silentLines(BOX, chain), [])
    assert.deepStrictEqual(linesFor(BOX, chain).filter(([name]) => !OPTIONS_BY_NAME.has(name)), [
      ["mempoolfullrbf", "1"],
      ["upnp", "1"]
    ])
  })

  const directory = join(process.env["LOCKSTEP_FUNCTIONAL"] ?? "", "conf")
  const files = process.env["LOCKSTEP_FUNCTIONAL"] !== undefined && existsSync(directory) ? readdirSync(directory) : []
  it.skipIf(files.length === 0)("starts as people write it", () => {
    for (const file of files) {
      home.write("more.conf", "")
      assert.deepStrictEqual(silentLines(readFileSync(join(directory, file), "utf8"), "main"), [], file)
    }
  })
})
