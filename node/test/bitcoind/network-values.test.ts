import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Plan } from "../../src/bitcoind/plan/plan.ts"
import { type Home, makeHome } from "./given.ts"
import { rows } from "./plan-rows.ts"

let home: Home
beforeAll(() => void (home = makeHome()))
afterAll(() => home.remove())

const plan = (...words: ReadonlyArray<string>): Plan =>
  Result.getOrThrowWith(home.plan("-regtest", ...words), ({ problems }) => new Error(problems.join("; ")))

const holds = (words: string, of: (made: Plan) => unknown, value: unknown): void => {
  assert.deepStrictEqual(of(plan(...words.split(" ").filter((word) => word !== ""))), value)
}

describe("the network layer that options amount to", () => {
  it.each(rows(
    [
      "milliseconds to connect",
      ({ network }) => network.connectTimeout,
      ["", 5_000],
      ["-timeout=7", 7],
      [
        "-timeout=0",
        5_000
      ],
      ["-timeout=-1", 5_000],
      ["-timeout=2147483648", 2_147_483_647]
    ],
    ["checks of addrman", ({ network }) => network.addrmanCheckRatio, ["", 0], ["-checkaddrman=-1", 0], [
      "-checkaddrman=1000001",
      1_000_000
    ]],
    [
      "buffers",
      ({ network }) => network.buffers,
      ["", { received: 5_000_000, unsent: 1_000_000 }],
      ["-maxreceivebuffer=0 -maxsendbuffer=0", { received: 1_000, unsent: 1_000 }],
      ["-maxreceivebuffer=1000001 -maxsendbuffer=7", { received: 1_000_000_000, unsent: 7_000 }]
    ],
    [
      "seeds",
      ({ network: { asksSeeds, forcesSeeds, looksUpNames } }) => [asksSeeds, forcesSeeds, looksUpNames],
      ["", [true, false, true]],
      ["-dnsseed=0 -dns=0", [false, false, false]],
      ["-forcednsseed", [true, true, true]],
      ["-onlynet=onion -proxy=127.0.0.1:1", [false, false, true]],
      ["-onlynet=ipv6", [true, false, true]]
    ],
    [
      "nodes for addresses",
      ({ network }) => network.seedNodes,
      ["", []],
      ["-seednode=a -seednode=0 -seednode=", ["a"]],
      ["-seednode=a -connect=b", []]
    ],
    ["the way to onion services", ({ network }) => network.learnsOnionProxy, ["", true], ["-onion=127.0.0.1:1", false]],
    ["a clock", ({ config }) => config.validation.mockTime, ["", 0], ["-mocktime=7", 7], [
      "-mocktime=4294967295",
      0xff_ff_ff_ff
    ]],
    [
      "heights of deployments",
      ({ config }) => config.validation.activationHeights,
      ["", {}],
      ["-testactivationheight=segwit@0 -testactivationheight=csv@2147483646", { segwit: 0, csv: 0x7f_ff_ff_fe }]
    ],
    [
      "what is published",
      ({ notifiers }) => notifiers.map(({ address, highWater, topic }) => [topic, address, highWater]),
      ["", []],
      ["-zmqpubhashblock=tcp://127.0.0.1:1 -zmqpubhashblock=0 -zmqpubhashblock=", [[
        "hashblock",
        "tcp://127.0.0.1:1",
        1_000
      ]]],
      ["-zmqpubrawtx=unix:/a -zmqpubrawtxhwm=-1", [["rawtx", "ipc:///a", 0]]],
      ["-zmqpubrawtx=ipc:///a -zmqpubrawtxhwm=2147483648", [["rawtx", "ipc:///a", 2_147_483_647]]]
    ],
    [
      "bytes to send in a day",
      ({ config }) => config.peers.uploadTarget,
      ["-maxuploadtarget=3k", 3_000],
      ["-maxuploadtarget=3K", 3 * 2 ** 10],
      ["-maxuploadtarget=3m", 3_000_000],
      ["-maxuploadtarget=3M", 3 * 2 ** 20],
      ["-maxuploadtarget=3g", 3_000_000_000],
      ["-maxuploadtarget=3G", 3 * 2 ** 30],
      ["-maxuploadtarget=3t", 3_000_000_000_000],
      ["-maxuploadtarget=3T", 3 * 2 ** 40]
    ]
  ))("%s: with the words %j", (_, words, of, value) => holds(words, of, value))

  it.each<readonly [words: string, problem: string]>([
    ["-mocktime=-1", "-mocktime must be between 0 and 4294967295"],
    ["-mocktime=4294967296", "-mocktime must be between 0 and 4294967295"],
    [
      "-testactivationheight=segwit@2147483647",
      "Invalid height value (segwit@2147483647) for -testactivationheight=name@height."
    ],
    ["-zmqpubrawtx=127.0.0.1:99999", "Invalid port specified in -zmqpubrawtx: '127.0.0.1:99999'"]
  ])("refuses %s", (words, problem) => {
    const made = home.plan("-regtest", ...words.split(" "))
    assert.deepStrictEqual(Result.isFailure(made) ? made.failure.problems : [], [problem])
  })
})
