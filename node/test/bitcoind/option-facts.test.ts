import { assert, describe, it } from "@effect/vitest"
import type { CoreOption } from "../../src/bitcoind/options/core-option.ts"
import { OPTIONS } from "../../src/bitcoind/options/option-table.ts"

const named = (holds: (option: CoreOption) => boolean): string =>
  OPTIONS.filter(holds).map(({ name }) => name).join(" ")

describe("options of Bitcoin Core", () => {
  it.each<readonly [what: string, holds: (option: CoreOption) => boolean, names: string]>([
    [
      "whose values add up",
      ({ list }) => list === true,
      "blockfilterindex includeconf ipcbind loadblock shutdownnotify addnode bind connect externalip onlynet proxy " +
      "seednode uacomment whitebind whitelist debug debugexclude loglevel test testactivationheight deprecatedrpc " +
      "rpcallowip rpcauth rpcbind rpcwhitelist signetchallenge signetseednode vbparams zmqpubhashblock zmqpubhashtx " +
      "zmqpubrawblock zmqpubrawtx zmqpubsequence wallet"
    ],
    [
      "that count on another chain in its section alone",
      ({ networkOnly }) => networkOnly === true,
      "addnode bind connect port rpcbind rpcport"
    ],
    ["that hold secrets", ({ sensitive }) => sensitive === true, "torpassword rpcauth rpcpassword rpcuser"],
    [
      "that cannot be negated",
      ({ noNegation }) => noNegation === true,
      "datadir loglevel signetchallenge signetseednode"
    ],
    ["that need a value", ({ noElision }) => noElision === true, "proxy loglevel"],
    [
      "of which Bitcoin Core itself warns",
      ({ warns }) => warns === true,
      "checkpoints limitancestorsize limitdescendantsize"
    ]
  ])("%s are these", (_, holds, names) => {
    assert.strictEqual(named(holds), names)
  })

  it("are accepted without a word with the values that hold anyway: 0, unless it says others", () => {
    const accepted = OPTIONS.filter(({ state }) => state === "accepted")
    const others = accepted.filter(({ inert = [] }) => inert.join() !== "0")
    assert.deepStrictEqual(
      others.filter(({ inert = [] }) => inert.length > 0).map(({ inert = [], name }) => [name, ...inert]),
      [
        ["prevoutfetchthreads", "0", "8"],
        ["limitancestorcount", "25"],
        ["limitdescendantcount", "25"],
        ["disablewallet", "", "1"]
      ]
    )
    assert.strictEqual(
      accepted.filter(({ inert = [] }) => inert.join() === "0").map(({ name }) => name).join(" "),
      "dbbatchsize dbcrashratio forcecompactdb ipcbind natpmp checkblockindex checkmempool"
    )
  })

  it("are shown by -help-debug alone, or not at all, where they are for tests or of another program", () => {
    assert.strictEqual(
      OPTIONS.filter(({ group, shown }) =>
        shown === "never" && group !== "Wallet options" && group !== "Hidden options"
      )
        .map(({ name }) => name).join(" "),
      "h ? dbcrashratio forcecompactdb ipcbind checkpoints limitancestorsize limitdescendantsize"
    )
    assert.lengthOf(OPTIONS.filter(({ shown }) => shown === "debug"), 39)
  })

  it("have examples that are words of a command line, each with a value behind its sign of equality", () => {
    for (const { example, name } of OPTIONS) {
      for (const word of example) assert.match(word, /^-[a-z0-9?-]+(?:=.+)?$/, name)
    }
  })
})
