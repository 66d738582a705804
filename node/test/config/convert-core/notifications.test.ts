import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parse } from "smol-toml"
import { judgeFile } from "../../../src/config/file/judge-file.ts"
import { parseFile } from "../../../src/config/file/parse-file.ts"
import { convert } from "./convert.ts"

describe("settings about who is notified", () => {
  it("are those of the module zmq, which may listen where Bitcoin Core did, with the limits of their topics", () => {
    const { access, problems, report, toml } = convert(
      "zmqpubrawblock=tcp://127.0.0.1:28332",
      "zmqpubrawblock=tcp://*:28340",
      "zmqpubrawtx=tcp://127.0.0.1:28332",
      "zmqpubrawblockhwm=5000",
      "zmqpubsequencehwm=7"
    )
    assert.deepStrictEqual([problems, access], [[], []])
    assert.deepStrictEqual((parse(toml) as Record<string, unknown>)["modules"], {
      enabled: true,
      zmq: {
        pubrawblock: ["tcp://127.0.0.1:28332", "tcp://*:28340"],
        pubrawtx: ["tcp://127.0.0.1:28332"],
        pubrawblockhwm: 5_000,
        network_listen: ["127.0.0.1:28332", "0.0.0.0:28340"]
      }
    })
    assert.include(report.join("\n"), "pnpm modules <modules_dir> zmq")
  })

  it.effect("make a draft that a start takes", () =>
    Effect.gen(function*() {
      const { toml } = convert("zmqpubhashtx=tcp://127.0.0.1:28332")
      const { problems, refused } = judgeFile(yield* parseFile("node.toml", toml))
      assert.deepStrictEqual([problems, refused], [[], []])
    }))

  it("switch no module on where they publish nothing", () => {
    for (const line of ["zmqpubhashtx=0", "zmqpubhashtx=", "zmqpubhashtxhwm=10", "blocknotify="]) {
      const { report, toml } = convert(line)
      assert.isUndefined((parse(toml) as Record<string, unknown>)["modules"], line)
      assert.deepStrictEqual(report, [], line)
    }
  })

  it.each([
    ["zmqpubrawtx=ipc:///tmp/rawtx", "the module zmq publishes at tcp://host:port alone"],
    ["zmqpubrawtxhwm=many", "the value is not a number that fits"],
    ["blocknotify=/usr/bin/notify %s", "the module webhooks calls a URL, and the program bitcoind runs them as before"],
    ["walletnotify=/usr/bin/notify %s", "the node has no wallet"],
    ["mempoolfullrbf=0", "every transaction of the mempool can be replaced"]
  ])("%s is reported with its counterpart", (line, says) => assert.include(convert(line).report.join("\n"), says))

  it("are not mentioned where the node does as they say", () => {
    assert.deepStrictEqual(convert("mempoolfullrbf=1").report, [])
  })
})
