import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import { SIGNET } from "@lockstep/protocol/networks/signet.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const planned = (...words: ReadonlyArray<string>) => {
  const plan = home.plan(...words)
  if (Result.isFailure(plan)) throw new Error(plan.failure.problems.join("; "))
  return plan.success
}

const problems = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const plan = home.plan(...words)
  return Result.isFailure(plan) ? plan.failure.problems : []
}

const hex = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString("hex")

describe("-signetchallenge", () => {
  it("makes a signet of its own, whose magic follows from the script and which knows no chain", () => {
    const { changes, config } = planned(
      "-signet",
      "-signetchallenge=51",
      "-signetseednode=a.example",
      "-signetseednode=b.example"
    )
    const network = networkWith("signet", changes)
    assert.strictEqual(hex(network.parameters.signetChallenge), "51")
    assert.deepStrictEqual(network.dnsSeeds, ["a.example", "b.example"])
    assert.deepStrictEqual([network.minimumChainWork, network.assumedValid], [0n, undefined])
    assert.notStrictEqual(hex(network.magic), hex(SIGNET.magic))
    assert.deepStrictEqual(config.peers.fixedSeeds, false)
  })

  it("of the default signet has its magic (BIP325)", () => {
    const challenge = hex(SIGNET.parameters.signetChallenge)!
    const { changes } = planned("-signet", `-signetchallenge=${challenge}`)
    assert.strictEqual(hex(networkWith("signet", changes).magic), hex(SIGNET.magic))
  })

  it("is refused in Bitcoin Core's words", () => {
    assert.deepStrictEqual(problems("-signet", "-signetchallenge=abc"), ["-signetchallenge must be hex, not 'abc'."])
    assert.deepStrictEqual(problems("-signet", "-signetchallenge=51", "-signetchallenge=52"), [
      "-signetchallenge cannot be multiple values."
    ])
  })

  it("is named in the log where the chain is another one", () => {
    assert.isTrue(planned("-regtest", "-signetchallenge=51").notices.some((line) => line.includes("signetchallenge")))
  })
})

describe("-fastprune", () => {
  it("makes small block files, and prunes a short chain of regtest alone", () => {
    assert.strictEqual(planned("-regtest").storage.blockFileBytes, undefined)
    const regtest = planned("-regtest", "-fastprune")
    assert.strictEqual(regtest.storage.blockFileBytes, 65_536)
    assert.strictEqual(networkWith("regtest", regtest.changes).pruneAfterHeight, 100)
    assert.isUndefined(networkWith("signet", planned("-signet", "-fastprune").changes).pruneAfterHeight)
  })
})

describe("-minimumchainwork", () => {
  it("takes the place of the network's own", () => {
    assert.strictEqual(
      networkWith("regtest", planned("-regtest", "-minimumchainwork=0x65").changes).minimumChainWork,
      0x65n
    )
    assert.strictEqual(networkWith("signet", planned("-signet").changes), SIGNET)
  })
})

describe("-vbparams", () => {
  it("says when the deployment for tests activates", () => {
    const { changes } = planned("-regtest", "-vbparams=testdummy:-2:9223372036854775807:7")
    assert.deepStrictEqual(networkWith("regtest", changes).testDummy, {
      startTime: -2,
      timeout: Infinity,
      minActivationHeight: 7
    })
  })

  it.each([
    [
      "-vbparams=testdummy:0",
      "Version bits parameters malformed, expecting deployment:start:end[:min_activation_height]"
    ],
    ["-vbparams=testdummy:x:0", "Invalid nStartTime (x)"],
    ["-vbparams=testdummy:0:x", "Invalid nTimeout (x)"],
    ["-vbparams=testdummy:0:0:x", "Invalid min_activation_height (x)"],
    ["-vbparams=testdummy::", "Invalid nStartTime ()"],
    ["-vbparams=testdummy:0:9223372036854775808", "Invalid nTimeout (9223372036854775808)"],
    ["-vbparams=testdummy:0:0:2147483648", "Invalid min_activation_height (2147483648)"],
    ["-vbparams=nothing:0:0", "Invalid deployment (nothing)"]
  ])("%s ends the start", (word, problem) => {
    assert.deepStrictEqual(problems("-regtest", word), [problem])
  })

  it.each(["vbparams", "testactivationheight"])(
    "is not read on other test chains, nor is -%s, whatever it says",
    (name) => {
      for (const chain of ["-signet", "-testnet", "-testnet4"]) {
        assert.deepStrictEqual(planned(chain, `-${name}=x`).notices, [
          `-${name} has no effect: it is about regtest alone`
        ])
      }
      assert.deepStrictEqual(problems(`-${name}=x`), [`The -${name} option may not be used on mainnet.`])
    }
  )
})

describe("options about addresses and connections", () => {
  it("have their effect on the network layer", () => {
    const { network } = planned(
      "-regtest",
      "-timeout=7",
      "-dns=0",
      "-txreconciliation",
      "-seednode=a.example",
      "-seednode=b.example",
      "-cjdnsreachable",
      "-onlynet=cjdns",
      "-test=addrman",
      "-checkaddrman=3",
      "-maxreceivebuffer=7",
      "-maxsendbuffer=0"
    )
    assert.deepStrictEqual(network, {
      proxies: { ipv4: undefined, ipv6: undefined, onion: undefined, cjdns: undefined, names: undefined },
      learnsOnionProxy: true,
      isAddrmanDeterministic: true,
      addrmanCheckRatio: 3,
      seedNodes: ["a.example", "b.example"],
      buffers: { received: 7_000, unsent: 1_000 },
      connectTimeout: 7,
      looksUpNames: false,
      reconciles: true,
      asksSeeds: false,
      forcesSeeds: false
    })
    assert.isFalse(planned("-regtest").network.reconciles)
    assert.isTrue(planned("-regtest", "-forcednsseed").network.forcesSeeds)
    assert.deepStrictEqual(planned("-regtest", "-connect=0", "-seednode=a", "-timeout=0").network.seedNodes, [])
    assert.strictEqual(planned("-regtest", "-timeout=-1").network.connectTimeout, 5_000)
  })
})

describe("-proxy and -onion", () => {
  const proxies = (...words: ReadonlyArray<string>) => planned("-regtest", ...words).network.proxies
  const at = (port: number) => ({ host: "127.0.0.1", port })

  it("name proxies for all networks, for one, or for onion services; the last value counts", () => {
    assert.deepStrictEqual(proxies("-proxy=127.0.0.1:1"), {
      ipv4: at(1),
      ipv6: at(1),
      onion: at(1),
      cjdns: at(1),
      names: at(1)
    })
    const each = [
      "-proxy=127.0.0.1:1=ipv4",
      "-proxy=127.0.0.1:2=IPv6",
      "-proxy=127.0.0.1=onion",
      "-proxy=127.0.0.1:4=cjdns"
    ]
    const separate = { ipv4: at(1), ipv6: at(2), onion: at(9_050), cjdns: at(4), names: at(2) }
    assert.deepStrictEqual(proxies(...each), separate)
    assert.deepStrictEqual(proxies("-proxy=127.0.0.1:9", ...each), separate)
    assert.deepStrictEqual(proxies(...each, "-proxy=0"), proxies())
    assert.deepStrictEqual(proxies(...each, "-onion=127.0.0.1:5").onion, at(5))
    assert.isUndefined(proxies("-proxy=127.0.0.1:1", "-noonion").onion)
    assert.deepStrictEqual(planned("-regtest", ...each).notices, [])
  })

  it("name Unix sockets as long as the system allows", () => {
    const path = `/${"x".repeat(106)}`
    const { cjdns, onion } = proxies(`-proxy=unix:${path}`, "-onion=unix:/run/tor")
    assert.deepStrictEqual([cjdns, onion], [{ path }, { path: "/run/tor" }])
    for (const option of ["proxy", "onion"]) {
      assert.deepStrictEqual(problems("-regtest", `-${option}=unix:${path}x`), [
        `Invalid -${option} address or hostname: 'unix:${path}x'`
      ])
    }
    assert.deepStrictEqual(planned("-regtest", "-onlynet=onion", "-onion=unix:/run/tor").config.peers.onionProxy, {
      path: "/run/tor"
    })
    assert.deepStrictEqual(problems("-regtest", "-onlynet=onion", "-proxy=127.0.0.1:1=ipv4", "-listenonion=0"), [
      "Outbound connections restricted to Tor (-onlynet=onion) but the proxy for reaching the Tor network is not provided: none of -proxy, -onion or -listenonion is given"
    ])
  })
})
